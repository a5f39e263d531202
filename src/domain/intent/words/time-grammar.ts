/**
 * The grammar of time in English, one rule a line: kind <- pattern | pattern -> production constant (docs/planner.md).
 * {kind} is a span of that kind, (a/b/) a choice, ?name a condition of time/conditions.ts.
 */
export const TIME_GRAMMAR = String.raw`
# --- numbers
wordn <- {unit} | {tens}
wordn <- {tens} (-/–/) {unit} -> plus 10
wordn <- (a/one) hundred -> = 100
wordn <- (a/one) hundred (and/) {wordn} -> hundreds
small <- {two} | {wordn}
n <- {number} | {wordn} | {fraction}
n <- {number} {fraction} -> plus
n <- (a/) couple (of/) -> = 2
n <- (a/) few (of/) -> = 3
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
facet <- {amount} (before/after) ?nomeal -> gap
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
date <- {dots} . ?gluedbefore -> dotted
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
dayat <- (the/) {weekday} after next -> weekday afternext
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
days <- {dayat} {and} {days} -> daysAnd
days <- {dayat} {or} {days} -> daysAnd or
days <- {weekday} ?weekdaynext {days} -> daysBeside
days <- {dayat} {and} next ?end -> dayAndNext
days <- {dayat} {or} next ?end -> dayAndNext or
daterange <- {dayat} {range} {dayat} -> dayRange
daterange <- {date} {range} {dom} ?end -> dayRangeTo
daterange <- {dom} {range} {date} -> dayRangeFrom
facet <- (from/on/for/over/) {daterange}
facet <- between {dayat} {range} {dayat} | between {dayat} and {dayat} -> dayRange open
facet <- (on/for/on the/of/come/at/to/onto/to the/) {days} -> daysFacet

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
by <- (only/just/) by | no later than | not later than | (at the/) latest (by/until/till/on/at) | by the latest on | at the latest by | (finished/done/ready/completed/over) by | (which/it/) (has/needs/have/need) to be (done/finished/ready/over/completed) by | (must/should) be (done/finished/ready/over/completed) by
until <- (only/just/) (until/till/til/up to) | (through/thru) ?apart | up until | until around | ending | ending (on/at) | ends at | until and including | up to and including | between now and | from now (until/till/to) | not after | never after | nothing after | (the/) last (one/time/session) (is/) (on/)
before <- before | any time before | sometime before | (which/it/) (has/needs/have/need) to be (done/finished/ready/over/completed) before | (must/should) be (done/finished/ready/over/completed) before
after <- after | any time after | anytime after | sometime after | later than
since <- (but/and/) not before | never before | nothing before | no earlier than | (but/) (please/) only (after/from) | past
from <- from | from about | starting | starting (at/on/from/with/in) | beginning | beginning (on/at) | as (of/from) | since | at from | (the/) first (one/time/session) (is/) (on/)
latest <- at the latest | , at the latest | latest
facet <- {by} (on/the/) {dayat} ({latest}/) | {until} (on/the/) {dayat} ({latest}/) -> dayEdge until
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

# --- clock times
half <- am | a m -> = am
half <- pm | p m -> = pm
half <- (a/p) ?glued -> letter
time <- {hm} -> hm
time <- {dotted} -> hm bare
time <- {military} -> hm bare fixed
time <- {two} -> hour
time <- {unit} -> hour
time <- {two} {sixty} ?halfahead -> hourMinutes
time <- {two} h {sixty} ?hourh -> hourMinutes fixed
time <- {unit} {wordn} ?nolength -> hourMinutes words
time <- {unit} - {wordn} ?nolength -> hourMinutes words
time <- {unit} oh {unit} -> hourMinutes
time <- (a/) quarter past {small} | (a/) quarter after {small} -> pastHour 15
time <- (a/) quarter (to/of/before/til/till) {small} -> pastHour -15
time <- half past {small} | half after {small} -> pastHour 30
time <- half {small} ?end -> pastHour 30 bare
time <- {small} (minutes/mins/min/) past {small} -> pastTo
time <- {small} (minutes/mins/min) after {small} -> pastTo
time <- {small} (minutes/mins/min) (to/before/til/till) {small} -> pastTo to
time <- {small} to {small} -> pastTo plainly
time <- noon | midday | (12/twelve) (noon/midday) -> clock 12
time <- midnight | (12/twelve) midnight -> clock 24
clock <- {time}
clock <- {time} {half} (sharp/) -> halved
clock <- {time} ({half}/) (o'clock/oclock/o clock/sharp/ish) -> sure
clock <- {two} h ?hourh0 -> hour fixed
clock <- {two} (hrs/hours/h) ?!bareh -> hour
clock <- the hour {small} -> hour sure
zoned <- {clock} {zone} -> zoned
clocks <- {clock} | {zoned} -> clocks
clocks <- {clock} (and/&/,/, and/and at/, at/and again at) ?!amount {clocks} -> clocksAnd
clocks <- {clock} (or/, or/or at) ?!amount {clocks} -> clocksAnd or
halfof <- in the morning -> = 0
halfof <- in the (afternoon/evening) | at night -> = 12
at <- at | @ | say | say at | at (around/about/approximately/exactly) | around | about | from about
facet <- {clocks} -> clockFacet none
facet <- {at} {clocks} -> clockFacet at
facet <- (for/to) (around/about/) {clocks} -> clockFacet for
facet <- {from} {clocks} -> clockFacet from
hourend <- {clock} | {zoned} -> same
till <- to | - | – | — | until | till | til | through | thru | to about
hours <- {hourend} {till} {hourend} -> hours
hours <- {hourend} {halfof} {till} {hourend} -> hours half
hours <- {hourend} {till} {hourend} {halfof} -> hours endhalf
ranges <- {hours}
ranges <- {hours} (and/,/, and/&/and from/, from/, and from) {ranges} -> rangesAnd
facet <- {ranges} -> hoursFacet none
facet <- {at} {ranges} -> hoursFacet at
facet <- (for/to) {ranges} -> hoursFacet none
facet <- {from} {ranges} -> hoursFacet from
facet <- between {hourend} and {hourend} | between {hourend} {till} {hourend} -> hoursBetween
facet <- {after} {hours} | {since} {hours} | {until} {hours} | {by} {hours} | {before} {hours} -> hoursFacet window
facet <- {by} (around/about/) {hourend} ({latest}/) -> hoursTo due
facet <- {until} (around/about/) {hourend} ({latest}/) | {before} (around/about/) {hourend} ({latest}/) -> hoursTo
facet <- {after} (around/about/) {hourend} | {since} (around/about/) {hourend} -> hoursFrom
facet <- ({from}/) {hourend} (onwards/onward/and later/or later) -> hoursFrom
facet <- from {hourend} on ?end -> hoursFrom
facet <- from {hourend} (until/till/to) (whenever/late/open end) -> hoursFrom exact
facet <- {hourend} (or earlier/at the latest/latest) -> hoursTo due
facet <- {isotime} | (at/on/for/to/from) {isotime} -> iso
facet <- {badclock} | {at} {badclock} -> badClock

# --- parts of the day
pw <- morning | mornings | afternoon | afternoons | evening | evenings | night | nights -> partWord
early <- early | early in the | early on in the | the early
late <- late | later | late in the | later in the | the late | the end of the
mid <- mid | mid - | the middle of the
shaded <- {early} {pw} -> shade early
shaded <- {late} {pw} -> shade late
shaded <- {mid} {pw} -> shade mid
partlead <- in the | during the | in | for the | at | on the | by | some time in the | sometime in the | the | in my | to the | (on/) (one/any/some/an) | in any
fixedpart <- first thing | first thing in (the/) morning -> part morning 6 10
fixedpart <- (at/over/during/around/by/) (lunchtime/lunch time) | (at/over/during/around) lunch | in (the/my) lunch break | around (noon/midday) -> part afternoon 12 14
fixedpart <- (any time/anytime/sometime/some time/) after lunch -> part afternoon 13 18
fixedpart <- before (lunch/noon/midday) -> part morning 6 12
fixedpart <- after work | after office hours -> part evening 17 22
fixedpart <- after school -> part afternoon 15 19
fixedpart <- before school -> part morning 6 8
fixedpart <- before work -> part morning 6 9
fixedpart <- after dinner | before bed | before bedtime -> part evening 20 23
fixedpart <- at (teatime/tea time) -> part afternoon 16 18
fixedpart <- at (breakfast time/breakfasttime/breakfast) -> part morning 7 10
fixedpart <- at (dinner time/dinnertime/suppertime) -> part evening 18 20
fixedpart <- at (bedtime) -> part evening 20 23
fixedpart <- at (dawn/daybreak/sunrise) -> part morning 6 8
fixedpart <- in the early hours -> part night 0 6
fixedpart <- end of (play/business) | (the/) (end/close) of (the/) (day/play/business) | eod | cob | at (the/) end of (the/) day ?!night -> part afternoon 15 18
dayend <- (the/) end of (the/) (day/today) | (the/) (end/close) of (play/business) | eod | cob
facet <- by {dayend} | before {dayend} | at {dayend} -> dayEnd 18
facet <- by tonight -> dayEnd 22
facet <- {fixedpart} ?nowith -> part
facet <- {pw} | {partlead} {pw} | {shaded} | {partlead} {shaded} -> partFacet
facet <- (am/pm) ?halfalone -> halfOfDay
facet <- (for/until/to/by/later/) tonight ?unowned -> tonight
facet <- (for/until/to/by/later/) (this/later this/this late/this early/late this/early this) {pw} ?unowned -> thisPart

# --- whole days, soon
facet <- {whole} | {whole} (long/of) -> whole
facet <- {whole} today -> whole today
facet <- (out/) (all/the whole/the entirety) of {days} -> wholeOf
whole <- (as/) (a/an/) (whole/all/full) - day (thing/event/entry/) | all day | all - day | (the/for the/) whole day | the entire day | (the/a/) full day
facet <- (all/the whole/for the whole/the entire/my whole/the full/a whole/whole of/the whole of) {pw} -> wholePart
facet <- (the/my/) (earliest/first/next) (free/available/possible) (slot/time/) -> soon
facet <- (at/) (some time/sometime/any time/anytime) ?neartime -> soon
facet <- (at the latest/somewhere/asap/as soon as possible/soon/at the earliest/right away/immediately/at once/as early as possible/right now/now/straight away/at some point/sometime/some time soon/sometime soon/whenever possible/anytime/at any time/whenever) ?end -> soon
facet <- (when/whenever) (there's/there is/i have/i've got/i find) (a gap/a free slot/time/a moment/space/nothing on) ?end | (when/whenever) (i'm/i am) free ?end | (on/) (one/any/some) day ?end -> soon
facet <- (the/) first (one/time/session) (is/) (today/tonight/this week) ?end | starting (with/) (this one/then/now/immediately/straight away) ?end -> soon

# --- repetitions
group <- (weekday/workday) | (business/working/work/school/week) day -> group 1 2 3 4 5
group <- weekend -> group 6 7
groups <- (weekdays/workdays) | (business/working/work/school/week) days -> group 1 2 3 4 5
groups <- weekends -> group 6 7
one <- {weekday} ?unownedbefore -> weekdaySet
one <- {group}
ones <- {weekdays} -> weekdaySet
ones <- {groups}
joint <- and | & | , | , and | and on | or | SLASH | + | - and | and every | and each | every
thru <- to | - | – | — | through | thru | until | till
some <- {one} | {one} {joint} {some} | {one} {joint} {many} -> union
some <- {weekday} ?weekdaynext {some} -> unionDay
some <- {weekday} {thru} {weekday} -> through
many <- {ones} | {ones} {joint} {many} | {ones} {joint} {some} | {weekday} {joint} {many} | {ones} {many} -> union
many <- {weekdays} {thru} {weekdays} | {weekdays} {thru} {weekday} -> through
each <- (on/) (every/each) | every single | once (every/each) -> = 1
each <- (on/) every (other/second/alternate/2nd) | on alternate | alternate ?each -> = 2
each <- (on/) every (third/3rd) -> = 3
each <- (on/) every (fourth/4th) -> = 4
every <- {each} {some} -> weekly
every <- {each} {cyc} | {each} days ?never -> everyUnit
every <- {each} day -> everyDay
every <- {each} (hour/hr/minute) -> everyHour
every <- {each} fortnight -> everyFortnight
every <- {each} {plain} | {each} {amount} -> everyAmount
every <- {each} ?partword -> everyDay
every <- daily | nightly | everyday -> adverb day 1
every <- weekly -> adverb week 1
every <- biweekly | fortnightly -> adverb week 2
every <- monthly -> adverb month 1
every <- yearly | annually -> adverb month 12
every <- hourly -> adverb minute 60
monthday <- (on the/the/on) {ordinal} ?noweekday
every <- {every} {monthday} -> onMonthday
every <- {every} (on the/the) {ord} {weekday} -> onNth
every <- {every} (on the/the) last {weekday} -> onNth last
every <- {every} (on/on a/, on/every) {some} | {every} (on/on a/, on/every) {many} -> onWeekdays
ofmonth <- (of/in/) (every/each) month
every <- (on the/the/) {ord} {weekday} {ofmonth} | (on/) (every/each) {ord} {weekday} (of the month/in the month/of a month/of every month) -> nthMonthly
every <- (on the/the/) last {weekday} {ofmonth} | (on/) (every/each) last {weekday} (of the month/in the month/of a month/of every month) -> nthMonthly last
every <- (on/) (every/each) {ordinal} (day/) (of/in) (the/every/each/a) month | (on the/the) {ordinal} (day/) {ofmonth} -> dayMonthly
facet <- {every} ?adverbial -> everyFacet
facet <- {many} | (on/all/on all) {many} | (on/) {groups} -> weeklyFacet
facet <- (weekday/monday/tuesday/wednesday/thursday/friday/saturday/sunday) ?partpluralhere -> dayParts
facet <- (the/on the/for the/over the/) (next/coming) {n} {many} | for {n} {many} -> nextSome
endeach <- (at the/the) end of (every/each)
starteach <- (at the/the) (start/beginning) of (every/each)
facet <- {endeach} week -> edgeOfWeek 5
facet <- {starteach} week -> edgeOfWeek 1
facet <- {endeach} {some} | {endeach} day -> edgeOfEach end
facet <- {starteach} {some} | {starteach} day -> edgeOfEach start

# --- what is left out
excl <- {every} -> everyPlain
excl <- {many} | (on/all/) {many} -> weeklyFacet
excl <- (on/in/for/on the/the/) {days} -> daysFacet
excl <- (on/at/on the/the/) {group} -> weeklyFacet
excl <- {pw} | {partlead} {pw} | {shaded} | {partlead} {shaded} -> partFacet
excl <- {fixedpart} ?notbeside -> part
exclpart <- {pw} | {partlead} {pw} -> partFacet
except <- (but/and/though/,/) not | (any day/anytime/any time/every day/) (except/except for/except on/except in/but not/other than/apart from/besides/not counting) | any (day/time) but | anytime but | excluding | avoid | avoiding | (and/just/though/although/only) not | never | but ?afterany
facet <- {except} {excl} ?!takenlist -> except
facet <- {except} {excl} {exclpart} -> except
facet <- {except} {period} (yet/) -> exceptPeriod
facet <- not {dayat} ?taken -> exceptDay
facet <- {excl} (is/are) (out/off limits/impossible/not possible) -> except
facet <- (outside/outside of) (working/work/office/business/school) hours -> exceptWork
facet <- (on/) (any/a/some) {group} | (on/) {groups} only | only (on/) {groups} -> onlyWorkdays
facet <- (but/and/) only {excl} | just (on/in/in the) {excl} | {excl} only -> only
facet <- {tillday}
# --- from one day into another
moment <- {dayat} (, at/at/,/@/) {hourend} | {hourend} (on/) {dayat} -> moment
tillmark <- {range} | (and/,) (finishes/ends/finishing/ending) (at/)
nextday <- (at/) {hourend} (on/) (the/) (next/following) (morning/day) -> nextDay
tillday <- {moment} {tillmark} (on/at/) {moment} | {moment} {tillmark} {nextday} -> stretch
facet <- (from/starting/on/from on/at) {tillday}
`;
