/**
 * The grammar of time in English, of numbers, lengths, counts, days, periods and bounds: kind <- pattern | pattern -> production constant (docs/planner.md). {kind} is a span of
 * that kind, (a/b/) a choice, SLASH the sign /, ?name a condition of time/conditions.ts.
 */
export const DAY_GRAMMAR = `
# --- numbers
wordn <- {unit} | {tens}
wordn <- {tens} (-/–/) {unit} -> plus 10
wordn <- (a/one) hundred -> = 100
wordn <- (a/one) hundred (and/) {wordn} -> hundreds
small <- {two} | {wordn}
n <- {number} | {wordn} | {fraction}
n <- {number} {fraction} -> plus
n <- (a/) couple (of/) -> vague couple
n <- (a/) few (of/) -> vague few
n <- half (a/) dozen -> = 6
n <- (a/) dozen (of/) -> = 12

# --- lengths
u <- minute | minutes | min | mins -> unit minutes 1
u <- hour | hours | hr | hrs | h -> unit minutes 60
u <- pomodoro | pomodoros | pomodori -> unit minutes 25
u <- day | days -> unit days 1
u <- week | weeks -> unit weeks 1
u <- fortnight | fortnights -> unit weeks 2
u <- month | months -> unit months 1
u <- year | years -> unit years 1
link <- - | – | — | (free/full/whole/solid/good/straight/uninterrupted/quiet/short/extra/consecutive/undisturbed) | (working/business) ?beforeday
plain <- {n} ({link}/) {u} -> times
plain <- (a/an/one) ({link}/) {u} -> one
plain <- {n} and a half ({link}/) {u} -> times 0.5
plain <- {n} and a quarter ({link}/) {u} -> times 0.25
plain <- {n} (to/or/-/–) {n} ({link}/) {u} -> upper
amount <- {plain}
amount <- {plain} and (a/) half (long/) -> tail 30
amount <- {plain} and a quarter (of an hour/) -> tail 15
amount <- {plain} and three (-/) quarters (of an hour/) -> tail 45
amount <- {plain} (and/) {plain} -> tailed
amount <- {plain} and {n} ?end -> bareTail
amount <- {n} h {sixty} (m/min/) ?gluedh -> hoursMinutes
amount <- (hour/hr) and a half -> fixed 90
amount <- (hour/hr) and a quarter -> fixed 75
amount <- three (-/) (quarter/quarters) of an hour -> fixed 45
amount <- (a/) quarter (of an/-/) hour -> fixed 15
amount <- half a day | (a/) half (-/) day -> fixed 240
amount <- half (an/of an/) (hour/hr) | a half (hour/hr) | (a/) half - (hour/hr) -> fixed 30
about <- (a/) (solid/good/full/quiet/nice/whole) | about | around | roughly | approximately | at least | up to | at most | (not/no) (more/longer/less) than | max | maximum | maybe | perhaps | probably | ca | circa | approx | exactly | only | just | ~
more <- (another/extra/additional/an extra/an additional) {u} -> one
more <- (another/extra/additional/an extra/an additional) {amount}
more <- {n} (more/extra/additional) {u} -> times
way <- later -> = later
way <- earlier | sooner -> = earlier
way <- longer | more | extra -> = longer
way <- shorter | less -> = shorter
facet <- by ({about}/) {amount} -> shift by
facet <- {more} -> shift longer
facet <- by ({about}/) {more} -> shift longer
facet <- {amount} {way} | {more} {way} -> shift
facet <- + {amount} ?signed -> signed
facet <- - {amount} ?signed -> signed minus
facet <- by ({about}/) {amount} {way} | by ({about}/) {more} {way} -> shift
lasting <- for | (i/we/) reckon | (it/which/that/) (needs/need/will need/lasts/will last) (maybe/probably/) | (and/) runs (for/) | lasting | takes | taking | it takes | (it/) (should/will) take | (which/that) takes | for a | for another | in blocks of | of | each
duration <- ({about}/) {amount} -> duration
duration <- {amount} (long/- long/or so/max/tops/in total/in length/altogether) -> duration
duration <- {about} {amount} (long/- long/or so/max/tops/in total/in length/altogether) -> duration
duration <- ({about}/) {amount} (each/every) ?eachend -> duration each
duration <- ({about}/) {amount} apiece -> duration each
duration <- ({about}/) {amount} each (time/session/one) -> duration each
duration <- ({about}/) {amount} every (time/session/one) | ({about}/) {amount} (per session/a time) -> duration
duration <- ({about}/) {amount} {rate} -> durationPer
facet <- {duration} ?noside
facet <- {lasting} {duration} ?noway
facet <- {amount} before ?nomeal | {amount} (beforehand/in advance/ahead/earlier than that) -> gap before
facet <- {amount} after ?nomeal | {amount} (afterwards/later than that) -> gap after
facet <- {amount} ago -> past
facet <- for {plain} ?calendar -> span
facet <- for (the/) (next/coming) {plain} -> span
facet <- for the (next/coming) {u} -> spanUnit
facet <- in ({about}/) {amount} ?fromnow -> instant
facet <- {amount} from (now/right now) -> instant

# --- counts
rate <- (a/per) day -> = day
rate <- (a/per) week -> = week
rate <- (a/per) month -> = month
per <- {rate}
per <- (each/every/SLASH) day | daily -> = day
per <- (each/every/SLASH) week | weekly -> = week
per <- (each/every/SLASH) month | monthly -> = month
repeats <- {n} (times/time/x/×) -> count
repeats <- x {two} ?glued -> count
repeats <- twice -> = 2
repeats <- thrice -> = 3
rounds <- sessions | blocks | slots | rounds | chunks | sittings | occurrences
facet <- {repeats} -> countOf
facet <- {repeats} {per} -> countOf
facet <- once {per} -> once
facet <- {n} ?partplural -> countOf
facet <- {n} {rounds} -> countOf
facet <- {n} {amount} ?counted -> countEach
facet <- {n} {amount} {rounds} ?counted -> countEach
day1 <- (a/one/1) day | a day off | (a/one) rest day | a free day
whom <- (each of/) (them/each/sessions/the sessions/each one/each session/each two/two)
apart <- (with/and/) (at least/) {day1} (between/in between/off between/apart) -> apart 2
apart <- (with/) (two/2) days (between/apart) -> apart 3
apart <- (not on/never on) consecutive days | (on/) non - consecutive days -> apart 2
apart <- (but/and/) (not/no/never/not on/never on) two (consecutive days/days in a row/days running/days in succession) -> apart 2
apart <- (but/and/) (not/never) (on/) (consecutive/successive/adjacent) days | (but/and/) not (back to back/back - to - back) -> apart 2
facet <- {apart} ({whom}/) -> same

# --- days
dayat <- today | this day -> offset 0
dayat <- tomorrow -> offset 1
dayat <- (the/) day after tomorrow -> offset 2
dayat <- yesterday -> offset -1
dayat <- (the/) day before yesterday -> offset -2
ordinal <- {ord}
ordinal <- {tens} (-/) {ord} -> plus 10
ordinal <- thirtieth -> = 30
ordinal <- {two} (st/nd/rd/th) ?glued
dom <- {ordinal} | {two}
yr <- (,/) {year}
date <- (the/) {dom} (of/./) {month} ({yr}/) -> monthDay dom
date <- {month} (the/. the/./) {dom} ?nohalf -> monthDay month
date <- {month} (the/. the/./) {dom} {yr} -> monthDay month
date <- {dots} . ?gluedbefore | {dots} ?dateplace -> dotted
date <- {slashed} -> slashed
date <- {isoday} -> isoDay
dayat <- {date}
theday <- the {ordinal} ?monthless | {ordinal} ?monthless -> monthless
dayat <- {theday}
dayat <- (the/) {ordinal} (of/) this month | the {ordinal} of the month -> monthless
dayat <- (the/) {ordinal} (of/) next month -> monthless 1
dayat <- {weekday} -> weekday bare
dayat <- {weekday} ?abbreviated . ?number -> weekday bare
dayat <- this {weekday} -> weekday this
dayat <- (this coming/the coming/coming/the following/following/upcoming/the upcoming) {weekday} -> weekday coming
dayat <- (next/the next) {weekday} -> weekday next
dayat <- {weekday} (of/in) (the/) (next/following) week -> weekday next
dayat <- {weekday} week -> weekday week
dayat <- {weekday} fortnight -> weekday fortnight
dayat <- today week -> offset 7
dayat <- tomorrow week -> offset 8
dayat <- (the/) {weekday} after next -> weekday after next
dayat <- (last/past/previous) {weekday} -> weekday last
dayat <- {weekday} (,/) {date} | {weekday} (,/) {theday} -> weekdayDate
dayat <- (the/) day after {dayat} -> beside 1
dayat <- (the/) day before {dayat} | (on/) the eve of {dayat} -> beside -1
dayat <- (the/) (last/final) day (of/in) {month} -> lastOf
dayat <- (the/) (last/final) day (of/in) {cycle} -> lastOf
dayat <- (the/) (last/final) {weekday} (of/in) (the/this/) {month} ({yr}/) -> nth last
dayat <- (the/) (last/final) {weekday} (of/in) {monthly} | (the/) (last/final) {weekday} (this/next) month -> nth last
dayat <- (the/) {ord} {weekday} (of/in/) (the/this/) {month} ({yr}/) -> nth
dayat <- (the/) {ord} {weekday} (of/in) {monthly} | (the/) {ord} {weekday} {monthly} -> nth
monthly <- (the/this) month -> = 0
monthly <- next month -> = 1
dayat <- in (exactly/about/around/roughly/) {plain} (time/' time/) -> offsetBy
dayat <- {plain} (from now/from today/after today) -> offsetBy
dayat <- {plain} (from/on/after) {dayat} -> offsetFrom
dayat <- {plain} ?neartoday {dayat} -> offsetFrom
dayat <- {plain} ago -> agoBy
dayat <- {holiday}
holiday <- christmas eve -> yearly 12 24
holiday <- christmas ?holiday | christmas day | xmas ?holiday -> yearly 12 25
holiday <- boxing day -> yearly 12 26
holiday <- new (year/years) eve -> yearly 12 31
holiday <- new (year/years) day | new (year/years) ?holiday -> yearly 1 1
holiday <- (valentine/valentines) day -> yearly 2 14
holiday <- halloween ?holiday -> yearly 10 31
holiday <- (st/saint) (nicholas/nicholas') day -> yearly 12 6
holiday <- (st/saint) patrick day -> yearly 3 17
holiday <- thanksgiving ?holiday | thanksgiving day -> movable thanksgiving 0
holiday <- black friday -> movable thanksgiving 1
holiday <- good friday -> movable easter -2
holiday <- easter ?holiday | easter sunday -> movable easter 0
holiday <- easter monday -> movable easter 1
holiday <- ascension day -> movable easter 39
holiday <- (whit/pentecost) monday -> movable easter 50
holiday <- (the/) {ord} (sunday of/sunday in/) advent -> advent

# --- several days
and <- and | & | , | , and | and on | , on | + | SLASH | as well as
or <- or | or on | , or
range <- to | - | – | — | until | till | til | through | thru | through to | up to
days <- {dayat} -> days
days <- {dayat} {and} {days+} -> daysAnd
days <- {dayat} {or} {days+} -> daysAnd or
days <- {weekday} ?weekdaynext {days+} -> daysBeside
days <- {dayat} {and} next ?end -> dayAndNext
days <- {dayat} {or} next ?end -> dayAndNext or
days <- {dom} {and} {date} ?!slashed -> domAnd
daterange <- {dayat} {range} {dayat} -> dayRange
daterange <- {date} {range} {dom} ?end -> dayRangeTo
daterange <- {dom} {range} {date} -> dayRangeFrom
facet <- (from/on/for/over/) {daterange}
facet <- between {dayat} {range} {dayat} | between {dayat} and {dayat} -> dayRange open
facet <- (on/for/on the/of/come/at/to/onto/to the/) {days+} -> daysFacet
facet <- (over/around/for the) {holiday} ?end -> dayFacet

# --- periods
cycle <- (this/the current/this coming/this very) {cyc} | the {cyc} -> cycle 0
cycle <- (next/the next/the coming/coming/the following/following/upcoming/the upcoming) {cyc} -> cycle 1
cycle <- the {cyc} after next -> cycle 2
cycle <- (last/the last/the past/past/previous/the previous) {cyc} -> cycle -1
cyc <- week -> = week
cyc <- month -> = month
cyc <- year -> = year
cyc <- weekend -> = weekend
cyc <- quarter -> = quarter
named <- {month} | {month} {year} | (this/next/early/late/mid) {month} -> monthPeriod
period <- {cycle} ?!thecycle
period <- the weekend -> cycleNow weekend
period <- weekend ?weekendlead -> cycleNow weekend
period <- (the/) week (of/starting/beginning) (the/) {dayat} -> weekOf
period <- the (next/following/coming/upcoming) {plain} | (next/following/coming/upcoming) {plain} -> nextFew
period <- the (next/coming) days -> nextFew 5
period <- the (next/coming) weeks -> nextFew 21
period <- (the/) (last/final) weekend (of/in) {named} -> lastWeekend
period <- (the/) (last/final) weekend (of/in) (the/this/next) month -> lastWeekend
start <- (at/) (the/) (start/beginning) of | early | early (on/) in | (the/) first half of
middle <- (the/) middle of | mid | mid - | midway through | half way through
finish <- (at/towards/toward/) (the/) end of | late | late in | (the/) (second/last) half of
rest <- (the/) (rest/remainder) of | the remaining | later | later in
period <- {start} {part0} -> section start
period <- {middle} {part0} -> section middle
period <- {finish} {part0} -> section end
period <- {rest} {part0} -> section rest
part0 <- {cycle} | {named}
part0 <- {cyc} -> cycle 0
period <- midweek | mid - week -> midweek
in <- in | during | for | over | within | sometime | sometime (in/over) | some time | some time in | at some point | at some point in | at | on | anytime | any time | in the course of | to | into | onto | of | throughout | all
facet <- {period} | {in} {period} -> period
facet <- {in} {named} | (next/this) ?month {named} -> period
facet <- (within/inside) {plain} -> nextFew facet
facet <- (last night/this past/the other day/earlier today/earlier this week/recently/just now) -> past
facet <- (later/later on/rest of/the rest of/some time/sometime) today | (the/) rest of the day -> today
facet <- from (now/here) on (in/) ?end | from then on ?end | going forward ?end -> soon

# --- bounds
by <- (only/just/) by | on or before | before or on | no later than | not later than | (at the/) latest (by/until/till/on/at) | by the latest on | at the latest by | (finished/done/ready/completed/over) by | (which/it/) (has/needs/have/need) to be (done/finished/ready/over/completed) by | (must/should) be (done/finished/ready/over/completed) by
until <- (only/just/) (until/till/til/up to) | (through/thru) ?apart | up until | until around | ending | ending (on/at) | ends at | until and including | up to and including | between now and | from now (until/till/to) | not after | never after | nothing after | (the/) last (one/time/session) (is/) (on/)
before <- before | any time before | sometime before | (which/it/) (has/needs/have/need) to be (done/finished/ready/over/completed) before | (must/should) be (done/finished/ready/over/completed) before
after <- after | any time after | anytime after | sometime after | later than
since <- (but/and/) not before | never before | nothing before | no earlier than | (but/) (please/) only (after/from) | past
from <- from | from about | starting | starting (at/on/from/with/in) | beginning | beginning (on/at) | as (of/from) | since | at from | (the/) first (one/time/session) (is/) (on/)
latest <- at the latest | , at the latest | latest
facet <- {by} (on/the/) {dayat} ({latest}/) | {until} (on/the/) {dayat} ({latest}/) -> dayEdge until
facet <- (on/) {dayat} (at the latest/, at the latest) -> dayEdge until
facet <- {before} (on/the/) {dayat} -> dayEdge before
facet <- {after} (on/) {dayat} -> dayEdge after
facet <- {from} (on/) {dayat} | {since} (on/) {dayat} -> dayEdge from
facet <- ({from}/) {dayat} (onwards/onward/on ?end) -> dayEdge from
facet <- {by} (the/) {part0} | {until} (the/) {part0} | {by} {period} | {until} {period} -> periodEdge until
facet <- {before} (the/) {part0} | {before} {period} -> periodEdge before
facet <- {after} {part0} | {after} {period} -> periodEdge after
facet <- {from} (the/) {part0} | {from} {period} | {since} {part0} -> periodEdge from
facet <- ({from}/) {named} (onwards/onward) -> periodEdge from
facet <- {from} today ?!range -> fromToday
`;
