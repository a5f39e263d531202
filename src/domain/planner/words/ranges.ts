/** The grammar of what is made of days and clock times: bounds, stretches, repetitions, relations (see LENGTHS for the form). */
export const RANGES = `
# --- a moment, from one moment to another
at <- at | , | , at | about | around | from | - | by | : | @ | , about | , around | @ about | on | in
moment <- {day} ({at}/) {clock} | {day} ({at}/) {clock} {half} -> momentDay
moment <- {clock} (on/of/, on/,/) (the/) {day} -> momentClock
moment <- {day} ({partlead}/) {partname} ({at}/) ({clock}/) -> momentPart
daymoment <- {dom} (at/a) {clock} -> domClock
moment <- {night} ({at}/) ({clock}/) -> momentNight
partlead <- in the | at | in | during the | late | early | the | , | on the
stretch <- {moment} {till} {moment} | from {moment} {till} {moment} | {moment} (, until/- out/- check - out/, check - out/out/, check out/out by) (on/by/) {moment} | between {moment} and {moment} -> stretch
stretch <- check (-/) in {moment} (,/) check (-/) out (by/) {moment} -> stretch
stretch <- check (-/) in {day} from {clock} (,/) check (-/) out {day} (by/) {clock} -> stretchDays
stretch <- {day} {clock} {till} {day} {clock} -> stretchDays
stretch <- {clock} {day} {till} {clock} {day} -> stretchClocks

# --- bounds
before <- before | b 4 | ahead of | this side of | prior to | earlier than | in before | sooner than | well before | any time before | anytime before | some time before | sometime before
by <- by | due | due by | due on | due in | deadline | deadline : | latest | latest by | at the latest | by the latest | no later than | not later than | within | expires | expires on | exp | done by | finished by | no starting later than | start no later than | runs out | due : | in by | by at the latest | frist : | has to be out by | out by | absolute latest | lodge by | be done by | deadline on | to arrive no later than | the latest | at latest | have to be in by | has to be in by | it's due | abgabe | , by | last day | at the very latest
until <- ending on | ending | ends on | ends | finishing | finishes | until | till | til | untill | up to | through | thru | upto | right up until | until about | to the end of | up until | through to | up to and including | and until | only until | only till | valid until | till about | to | to arrive before | done by
after <- after | any time after | anytime after | not until | sometime after | only after | some time after | later than | once past | post | start after | starting after
notbefore <- not before | no earlier than | no sooner than | never before | nothing before | not earlier than | not b 4 | nobody before | not a minute before | but not before
notafter <- not after | nothing after | never after | no later | not later | not past
from <- from | starting | beginning | as of | since | starts | commencing | begins | begin | from about | starting on | starting from | starting with | beginning from | begin from | earliest | the earliest | as from | from the | starting in | beginning in | beginning with | first on | first one | start at | both from | start
edge <- {before} -> is before
edge <- {by} -> is by
edge <- {until} -> is until
edge <- {after} -> is after
edge <- {from} -> is from
point <- {day} -> momentDay
point <- {period} -> momentDay
point <- {moment}
point <- {clock} -> momentClock
point <- {hours} -> momentHours
point <- {partname} -> momentOnlyPart
point <- {part} -> momentOnlyPart
bound <- {edge} (the/on the/at/in the/about/at about/on/around/, say/this/is/by/at the/say/half) {point} (at the latest/latest/only/sharp/inclusive/incl ./incl/onwards/please/without fail) | {edge} {point} -> bound
bound <- {edge} (the/on the/at/in the/about/at about/on/around/say/this/is/by/at the) {point} -> bound
bound <- {notbefore} (the/about/) {point} -> boundSure from
bound <- {notafter} (the/about/) {point} -> boundSure until
bound <- {point} (at the latest/latest/or earlier/at latest/, latest/the latest/at the very latest/max) -> boundIs by
bound <- {point} (onwards/onward/at the earliest/earliest/or later/and later/upwards/and after/or after/til close) | from {point} (on/onwards/onward/forward/out) -> boundIs from
bound <- from {clock} -> boundClock from
bound <- {clock} ^ + | {clock} ~ -> boundClock from
bound <- < {clock} -> boundClock before
bound <- > {clock} -> boundClock after
bound <- (between/from) (now/today) (and/n/until/till/to/&) {point} | now (till/until/to) {point} -> boundNow
bound <- from (now/then/today/there) on (wards/) | as of now | from today | from now -> boundToday
bound <- until further notice | further notice | until then | till then | until now | up to then -> boundOpen
bound <- {day} is the (first/start) (one/) | next one is {day} | (the/) first (one/time/) (is/on) {day} | (the/) first (one/time) {day} | {day} is the 1st | next one {day} -> boundIs from
bound <- (the/) last (one/) (is/on) {day} -> boundIs until
bound <- net {int} from {day} -> net
bound <- this side of the weekend | before the weekend | b4 the weekend -> beforeWeekend
bound <- starting (tonight/tomorrow night/tonite) | from tonight | starting {night} -> boundToday

# --- what is left out
not <- falls out | drops out | not | no | never | none | nothing | avoid | except | excepting | excluding | bar | without | skip | skipping | but | apart from | other than | save | minus | less | isn't | leave out | leaving out | not on | all but | barring | unless | outside | sans | xcept | xc | aside from | jump | omit | missing | outwith | cannot | can't | dont | don't | cant | no one | nobody | ausser
not <- any (day/night/morning/evening/afternoon/time/shift/lunchtime) (but/except/bar/this week but/other than/not) | any but | anything but | no lesson on | no class | no session on | day except | tues not

isout <- no good | not good | bad | out | impossible | no | off | closed | taken | excepted | excluded | not possible | not ok | blocked | cannot | is rest | not
except <- (keep/leave) {days} (free/clear/out/off) | {days} (is/are/) {isout} | {days} (she/he/they/i) (cannot/can't/cant/don't can) -> notDays
except <- {partname} (is/are/) {isout} | {part} (is/are/) {isout} -> notPart
except <- (keep/leave) {many} (free/clear/out/off) | {many} (is/are/) {isout} | {some} (is/are) {isout} -> notEvery

# --- repetitions
group <- weekday | workday | (working/work/business/school) (-/) day | wkday | week day -> set 1 2 3 4 5
group <- weekend | wkend -> set 6 7
groups <- weekdays | workdays | wkdays | (working/work/business/school/week/office) (-/) days | school nights | school mornings | teaching days -> set 1 2 3 4 5
groups <- weekends -> set 6 7
groups <- m (-/to) f -> set 1 2 3 4 5
one <- {wday} -> setOf
one <- {letterday} -> setOf
one <- {group}
ones <- {weekdays} -> setOf
ones <- {groups}
joint <- and | & | , | , and | and on | or | SLASH | + | - and | and every | and each | every | n
some <- {one} | {one} {joint} {some+} | {one} {some+} | {one} {joint} {many+} | {one} {joint} {ones} -> union
some <- {wday} (-/to/until/till/through/thru/up to/till) {wday} | {letterday} - {letterday} -> through
lone <- {letterday} -> setOf
letters <- {lone} {lone} | {lone} (SLASH/,/+/&) {lone} | {lone} {lone} {lone} | {lone} (SLASH/,) {lone} (SLASH/,) {lone} -> union
letters <- {letterday} - {shortday} -> through
letters <- {letterday} (+/SLASH) {shortday} -> pair
many <- {letters} -> same
many <- {ones} | {ones} {joint} {many+} | {ones} {joint} {some+} | {ones} {many+} -> union
many <- {weekdays} (to/-/through) {weekdays} -> through
each <- every | each | every single | ea . | ea | all | all the | on every | on each | in each | once every | once each
other <- every other | every second | every 2nd | every alternate | alternate | alternating | alt | fortnightly on | fortnightly (on/,) | on alternate | each second | biweekly on | once a fortnight on | every two weeks (on/the) | every 2 (weeks/wks) on | every second week , | every second week on | fortnightly on a | fortnightly , | every fortnight on | every other week on | every other week | bi - weekly on | biweekly on
every <- {each} {some+} ({partname}/) -> weekly 1
every <- {other} {some+} ({partname}/) -> weekly 2
every <- {other} {many+} ({partname}/) -> weekly 2
every <- {num} {many+} (in a row/running/) | (the/for the/) next {num} {many+} -> weeklyTimes
every <- (the/) first {num} {many+} (of/in) {period} -> weeklyTimesIn
every <- daily x {num} (days/) | {num} days daily -> dailyTimes
every <- {many+} ({partname}/) | on {many+} ({partname}/) | in {many+} | the {many+} | {each} {many+} -> weekly 1
every <- weekly (on/,/) {some+} | weekly (on/,/) {many+} | {each} week (on/,/the/inside/) {some+} | once a week (on/,/) {some+} -> weekly 1
every <- fortnightly (on/,/) {some+} | fortnightly (on/,/) {many+} | every (two/2) weeks (on/,/the/) {some+} | every second week (on/,/, the/the) {some+} -> weekly 2
every <- every three weeks (on/,/) {many+} -> weekly 3
every <- every {ordn} {one} -> weeklyNth
every <- every third {one} -> weekly 3
every <- every fourth {one} -> weekly 4
every <- {each} {unit} -> everyUnit 1
every <- every other {unit} | {each} second {unit} | every alternate {unit} | alternate {unit} -> everyUnit 2
every <- {each} {amount} -> everyAmount
every <- every {ordn} {unit} -> everyOrd
every <- every (couple of/few) hours -> everyHours 2
every <- daily | each day | everyday | day after day | nightly | a day | per day | all the days | all days | every days | in the day -> every day 1
every <- on and off days | one day on (one day off/) | every other day | one on one off -> every day 2
every <- weekly | a week | per week | one each week | wk | once a week | one a week | every week -> every week 1
every <- fortnightly | biweekly | bi - weekly | once a fortnight | every fortnight -> every week 2
every <- monthly | a month | per month | once a month | one a month | one time in one month | mensal -> every month 1
every <- quarterly | once a quarter | every quarter | each quarter -> every month 3
every <- twice a year | every six months | half - yearly -> every month 6
every <- yearly | annually | every year | each year | a year | per year | once a year | for every year | and each year after that | every year on -> every year 1
every <- hourly | every hour | on the hour -> every hour 1
every <- half - hourly | every half (an/) hour | every half - hour -> every minute 30
every <- {each} (school/working/week/work) (night/evening) -> schoolPart 1050 1380
every <- {each} (school/working/week/work) morning -> schoolPart 360 720
every <- {each} ({partname}) | all ({part}) | (both/) {part} (and/&) {part} | ({part}) and ({part}) -> everyDayPart
partplural <- mornings | evenings | afternoons | nights
every <- (twice/{num} times/{num} x/{num} ^ x/{num} time) (a/per/each/every/in the/SLASH/in one) day | twice daily | {num} times daily -> everyTimes day
every <- (twice/{num} times/{num} x/{num} ^ x/{num} time/{num} days/{num} sessions) (a/per/each/every/SLASH) (week/wk) | {num} {part} (a/per/each/every) week -> everyTimes week
every <- (twice/{num} times/{num} x) (a/per/each/every) month -> everyTimes month
every <- {group} {partname} -> weekly 1
every <- {num} on (,/) (and/) {num} off | {num} days on (,/) {num} (days/) off -> onOff
ofmonth <- (of/in/o/) (the/each/every/a/) month | monthly | (each/every) month | of the month each month | of every month | per month | every month | in every month
nths <- {ordn} | {ordn} (and/&/+/,) {nths} -> numbers
nths <- last -> number -1
every <- (the/on the/every/on/each/all/) {nths} {some+} ({ofmonth}/) | monthly (,/on the/on/) {nths} {some+} | every month (,/on the/) {nths} {some+} -> nthWeekly
every <- (the/on the/) {nths} {many+} ({ofmonth}/) -> nthWeekly
every <- quarterly , {nths} {some+} -> nthQuarterly
every <- (the/on the/every/) (last) (working day/workday/work day/business day) ({ofmonth}) -> nthWorkday -1
every <- (the/on the/every/) (first) (working day/workday/work day/business day) ({ofmonth}) -> nthWorkday 1
every <- (the/on the/every/) (last) day ({ofmonth}) -> monthDay -1
monthdays <- {th} | {dom} | {th} (and/&/,/+) (the/) {monthdays} | {dom} (and/&) {monthdays} -> numbers
every <- (on/every/each/on every/all/) (the/) {monthdays} {ofmonth} | (day/all day) {dom} {ofmonth} | (on the/the) {monthdays} of (each/every) month | every {monthdays} (day of month/of month) | monthly (,/) (on/day/dia/) (the/) {monthdays} | (every month/once a month/each month) (on/in/number/) (the/) {monthdays} -> monthDays
every <- on the (first/1st) of every (third/3rd) month -> everyMonths 3
every <- on the {th} of every (third/3rd) month | {th} of every third month -> monthDaysStep 3
every <- every (two/2) months (on/) the {dom} -> monthDaysStep 2
every <- every {th} | every {dom} | on each {th} -> monthDays
every <- {th} (of/) {monthlist} -> yearlyDays
monthlist <- {month} SLASH {monthlist} -> months
monthlist <- {month} (SLASH/,/and/, and) {monthlist} | {month} -> months
every <- every {month} | each {month} -> everyMonth
every <- (every/each) year on {dated} | {dated} every year | every {dated} | yearly on {dated} -> yearlyOn
every <- (all/every day/each day/daily) (this/through the/in the/) week -> everyDayOfWeek

# --- relations
exact <- right | straight | just | directly | immediately | as soon as | once | the moment | shortly | soon | exactly | on | first thing | at once | close | hot on the heels | off -> is exact
bef1 <- before | b 4 | befor | ahead of | ahead | prior to | earlier | beforehand | in advance of | in advance | in front of | early | prior
bef2 <- before | b 4 | befor | prior to
bef <- before | b 4 | befor | ahead of | ahead | prior to | earlier | beforehand | in advance of | in advance | in front of | until | till | til | untill | thru | up to | early | out | prior
aft <- after | afterwards | afterward | later | thereafter | following | behind | after that | once | on the way back from | on my way back from | on my way home from | on the way home from | once it is over | from | as soon as | the moment | when | off the back of | in going out of | upon | post | on the way back | on the way home | since | to follow
relation <- ({exact}/) {bef} -> relation before
relation <- {onway} to | {onway} there -> relationOnWay before
onway <- on (the/my/our) way | en route
relation <- ({exact}/) {aft} -> relation after
relation <- on right behind | right on (-/) | back to back with | next to | beside | alongside -> relation after
relation <- {amount} (right/) {bef1} | {amount} in {bef1} | t - {amount} | {amount} in front of | {amount} out -> relationBy before
relation <- {amount} later -> relationLater
relation <- {amount} (right/) {aft} | within {amount} (of/after) -> relationBy after
relation <- {bef2} {amount} | before it by {amount} -> relationBy before
relation <- (a/) quarter before | quarter before -> relationFixed before 15
relation <- {num} {bef1} | again {num} {bef1} -> relationMinutes before
relation <- {num} (after/afterwards/later) -> relationMinutes after
relation <- between | somewhere between | in between -> relation between
nearby <- over | at | on | as | within | in | into | with | on the -> relation during
relation <- (on/) the day of | (on/) (the/) same (day/date) as | on the date of -> relationSameDay
relation <- during | while | in the middle of | either side of | either side | on either side of | both before and after | before and after | as long as | for as long as | instead of | in its place | in place of -> relation during
relation <- (on/) (the/) day {bef2} -> relationDay before
relation <- (on/) (the/) day (after/following) -> relationDay after
relation <- (on/) (the/) {partname} {bef2} | {partname} {bef2} -> relationPart before
relation <- (on/) (the/) {partname} (after/following) -> relationPart after
relation <- (on/) (the/that) {partname} of -> relationPart during
relation <- (on/) (the/) {wday} {bef2} -> relationWeekday before
relation <- (on/) (the/) {wday} (after/following) -> relationWeekday after
relation <- (on/in/) (the/) (week/weekend/month) {bef2} -> relationWeek before
relation <- (on/in/) (the/) (week/weekend/month) (after/following) -> relationWeek after

# --- wishes that are not about time
condition <- if | whenever | unless | provided | otherwise | else | in case | depending | where | wherever | because | bc | so | only if | long as | which | whichever | weather | dry | without | split | near | asap
`;
