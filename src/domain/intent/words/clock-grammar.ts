/**
 * The grammar of time in English, of clock times, parts of the day, repetitions and what is left out: kind <- pattern | pattern -> production constant (docs/planner.md). {kind} is a span of
 * that kind, (a/b/) a choice, SLASH the sign /, ?name a condition of time/conditions.ts.
 */
export const CLOCK_GRAMMAR = `
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
time <- half {small} ?end -> halfHour
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
clocks <- {clock} (and/&/,/, and/and at/, at/and again at) ?!amount {clocks+} -> clocksAnd
clocks <- {clock} (or/, or/or at) ?!amount {clocks+} -> clocksAnd or
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
ranges <- {hours} (and/,/, and/&/and from/, from/, and from) {ranges+} -> rangesAnd
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
facet <- within ({about}/the next/) {amount} -> withinHours
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
facet <- (in the/) (am/pm) ?halfday -> halfDay
facet <- (for/until/to/by/later/) tonight ?unowned -> tonight
facet <- (for/until/to/by/later/) (this/later this/this late/this early/late this/early this) {pw} ?unowned -> thisPart

# --- whole days, soon
facet <- {whole} | {whole} (long/of) -> whole
facet <- {whole} today -> whole today
facet <- (out/) (all/the whole/the entirety) of {days+} -> wholeOf
facet <- (all of/the whole of/the entirety of/all) {cycle} ?!thecycle -> wholePeriod
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
some <- {one} | {one} {joint} {some+} | {one} {joint} {many+} -> union
some <- {weekday} ?weekdaynext {some+} -> unionDay
some <- {weekday} {thru} {weekday} -> through
many <- {ones} | {ones} {joint} {many+} | {ones} {joint} {some+} | {weekday} {joint} {many+} | {ones} {many+} -> union
short <- (mo/mon) -> = 1
short <- tu -> = 2
short <- we -> = 3
short <- th -> = 4
short <- (fr/fri) -> = 5
short <- sa -> = 6
short <- su -> = 7
many <- {short} (-/–/to) {short} ?!spelt -> through
many <- {weekdays} {thru} {weekdays} | {weekdays} {thru} {weekday} -> through
each <- (on/) (every/each) | every single | once (every/each) -> = 1
each <- (on/) every (other/second/alternate/2nd) | on alternate | alternate ?each -> = 2
each <- (on/) every (third/3rd) -> = 3
each <- (on/) every (fourth/4th) -> = 4
every <- {each} {some+} -> weekly
every <- {each} {cyc} | {each} days ?never -> everyUnit
every <- {each} day -> everyDay
every <- {each} (hour/hr/minute) -> everyHour
every <- {each} fortnight -> everyFortnight
every <- {each} {plain} | {each} {amount} -> everyAmount
every <- {each} ?partword | {each} (one/) of ?determined -> everyDay
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
every <- {every} (on/on a/, on/every) {some+} | {every} (on/on a/, on/every) {many+} -> onWeekdays
ofmonth <- (of/in/) (every/each) month
every <- (on the/the/) {ord} {weekday} {ofmonth} | (on/) (every/each) {ord} {weekday} (of the month/in the month/of a month/of every month) -> nthMonthly
every <- (on the/the/) last {weekday} {ofmonth} | (on/) (every/each) last {weekday} (of the month/in the month/of a month/of every month) -> nthMonthly last
every <- (every/each) {ordinal} ?end -> dayMonthly
every <- (on/) (every/each) {ordinal} (day/) (of/in) (the/every/each/a) month | (on the/the) {ordinal} (day/) {ofmonth} -> dayMonthly
facet <- {every} ?adverbial -> everyFacet
facet <- {many+} | (on/all/on all) {many+} | (on/) {groups} -> weeklyFacet
facet <- (weekday/monday/tuesday/wednesday/thursday/friday/saturday/sunday) ?partpluralhere -> dayParts
facet <- (the/on the/for the/over the/) (next/coming) {n} {many+} | for {n} {many+} -> nextSome
endeach <- (at the/the) end of (every/each)
starteach <- (at the/the) (start/beginning) of (every/each)
facet <- {endeach} week -> edgeOfWeek 5
facet <- {starteach} week -> edgeOfWeek 1
facet <- {endeach} {some+} | {endeach} day -> edgeOfEach end
facet <- {starteach} {some+} | {starteach} day -> edgeOfEach start

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
facet <- (during/in) the week ?end -> onlyWeek
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
