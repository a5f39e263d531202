/** The grammar of clock times, hours and parts of the day (the form of it is explained at LENGTHS). */
export const CLOCKS = `
# --- one time on the clock
hourn <- {hour} | {word} -> hour
minn <- {sixty} | {word} -> minute
clock <- {hm} | {compact} | {dotclock}
clock <- {hourn}
clock <- {hour} (:/.) ^ {sixty} -> hourMinute
clock <- {hour} ^ (h/u) ^ {sixty} | {hour} h {sixty} -> hourMinute exact
clock <- {hour} ^ h | {hour} h -> exact
clock <- {hour} (uhr/hrs/heures/hours/hour) | hour {hourn} | (the/) hour {hour} -> fixed
clock <- {compact} (h/hrs/hours/uhr) | {hm} (h/hrs/hours/uhr) | {dotclock} (h/hrs/hours/uhr) -> fixed
clock <- {word} hundred (hours/hrs/) -> hundred
clock <- {hourn} (o'clock/oclock/clock/o clock) ({sharp}/) -> sure
clocksaid <- {hourn} {minword} -> hourMinute words
clocksaid <- {hourn} - {minword} -> hourMinute words
clock <- {clocksaid}
minword <- {word} -> minute
minword <- oh {small}
clock <- (a/) quarter (past/after/passed/gone) {hourn} -> past 15
clock <- (a/) quarter (to/before/of/till/too) {hourn} -> past -15
clock <- half (past/after/gone/) {hourn} | half - past {hourn} | half passed {hourn} -> past 30
clock <- {hourn} and (a/) half | {hourn} point half -> hourAnd 30
clock <- {hourn} and (a/) quarter | hour {hourn} and quarter -> hourAnd 15
clock <- {hourn} (and/,) three quarters | {hourn} point three quarters -> hourAnd 45
clock <- {hourn} point -> same
clock <- three (quarter/quarters) {hourn} -> past -15
clock <- (the/at the/) hours {hour} and {sixty} -> hourMinute exact
clock <- {hm} (o'clock/oclock) | {dotclock} (o'clock/oclock) -> same
clock <- {clock} {part} -> partly
clock <- {minn} (minutes/mins/min/) (past/after/gone/passed) {hourn} -> pastHour
clock <- {minn} (minutes/mins/min) (to/before/till) {hourn} -> toHour
clocksaid <- {minword} (to/too/before) {hourn} -> toHour words
clocksaid <- {minword} (past/after) {hourn} -> pastHour words
clocksaid <- {clocksaid} {half} -> half
clock <- noon | midday | 12 noon | twelve noon | noon 12:00 | high noon | half of the day | half of day -> clock 12
clock <- half past midnight -> clock 0.5
clock <- quarter past midnight -> clock 0.25
clock <- quarter to midnight -> clock 23.75
clock <- midnight | 12 midnight | midnite -> clock 24
clock <- (eod/cob) | (the/) end of (the/) (day/play/business) | close of (business/work/play) -> clock 17.5
sharp <- sharp | ish | - ish | prompt | on the dot | or so | or thereabouts | local | lt
clock <- {clock} (sharp/ish/- ish/ish ./or so/on the dot/prompt/local/lt/or thereabouts/sharpish) -> same
clock <- {clock} now | now {clock} -> same
clock <- (about/around/~/circa/roughly/approx/nearly) {clock} -> same
half <- am | a . m . | a . m | a m | of the morning | in (the/) morning | hour of morning | of morning | before dawn | at dawn -> is am
half <- pm | p . m . | p . m | p m | in (the/) afternoon | of the afternoon | after noon | of afternoon -> is pm
evening <- (in/of/) the evening | in evening -> part 1050 1439
evening <- at night | (in/of) the night | in night -> part 1080 1439
spaced <- {hour} {sixty} -> hourMinute
clock <- {clock} {half} | {spaced} {half} -> half
clock <- {clock} ^ a -> halfIs am
clock <- {clock} ^ p -> halfIs pm
clock <- {clock} ^ z | {clock} z -> zonedUtc
clock <- {half} {clock} -> halfFirst
clock <- {clock} {evening} -> partly
zonename <- new york (time/) -> zoneNamed America/New_York
zonename <- los angeles (time/) -> zoneNamed America/Los_Angeles
zonename <- hong kong (time/) -> zoneNamed Asia/Hong_Kong
zonename <- san francisco (time/) -> zoneNamed America/Los_Angeles
zonename <- sao paulo (time/) -> zoneNamed America/Sao_Paulo
zonename <- mexico city (time/) -> zoneNamed America/Mexico_City
zonename <- buenos aires (time/) -> zoneNamed America/Argentina/Buenos_Aires
zonename <- tel aviv (time/) -> zoneNamed Asia/Jerusalem
zonename <- cape town (time/) -> zoneNamed Africa/Johannesburg
zonename <- {zone} (time/) | {zone} local time | gmt (+/-) {int}
clock <- {clock} {zonename} | {clock} OPEN {zonename} CLOSE | {zonename} {clock} | {clock} ^ {zonename} -> zoned
clock <- {clock} {clock} -> twice
zoneonly <- {zonename}

# --- numbers as dictation writes them: at ate, half for
heardclock <- at ate -> heard 8
heardclock <- at for -> heard 4
heardclock <- at (to/too) -> heard 2
heardclock <- at won -> heard 1
heardclock <- half for -> heard 4.5
heardclock <- half to -> heard 2.5
clock <- {heardclock}

# --- hours
till <- dtend | to | - | till | til | until | through | thru | bis | ~ | - ARROW | à | to about | till about | until about | to around | til about | a
endword <- ends | end | finish | wrap | - ARROW | ARROW | ends at | finishes at | finish at | , ends | , end | - arr | ARROW arr | - ARROW arr | , wrap
startword <- dep | departs | start | starts | begin | begins | call | from | dtstart | , start
hours <- {clock} ({till}/{endword}) {clock} -> hours
hours <- (dep/departs/leaves/departing/leaving/departs at/leaves at/) {clock} (- ARROW/ARROW/,/-/and/) {arrival} -> trip
arrival <- (arr/arriving/arrives/to arrive/lands/landing/lands at/arrives at/arriving at/arrival) {clock}
arrival <- {zonename} arr {clock} | arr {zone} {clock} -> zoned
hours <- from {clock} ({till}/{endword}/to -/and) {clock} -> hours
hours <- {startword} {clock} (,/) (call/start/) (,/) ({till}/{endword}) {clock} (wrap/) -> hours
hours <- {clock} (call/start/begin) , {clock} (wrap/end/finish) -> hours
hours <- between {clock} (and/&/-/to/n) {clock} -> hours
hours <- {clock} {till} {minn} past -> hoursPast
hours <- {clock} {till} quarter past -> hoursQuarter
halfday <- am -> part 360 720
halfday <- pm -> part 780 1080
partname <- (at/over/with/during/) breakfast (time/) | breakfasttime -> part 420 540
clock <- {clock} (till/til/until/to/-) (late/whenever/dark/open end/finish/the end/close) -> same
hours <- {hours} {zonename} | {hours} OPEN {zonename} CLOSE -> zonedHours
hours <- {hours} {half} -> halfHours
clock <- {clock} for {clock} -> forClock

# --- parts of the day
partname <- {part}
partname <- ({early}) {part} -> early
partname <- late (in the/) (morning/mornings) -> part 600 720
partname <- ({late}) {part} -> late
early <- early | early in the | first half of the | early on in the | first half
late <- late | late in the | later in the | second half of the | later | end of the
partname <- (by/in/) (first thing/early doors/first light/the crack of dawn/dawn/daybreak/sunrise) (in the morning/) -> part 360 540
partname <- first half (of the day/of day/) -> part 360 720
partname <- second half of the day | the after - midday -> part 720 1080
partname <- before breakfast | before school | before we open -> part 360 480
partname <- before work | before (the/) office -> part 360 540
partname <- before (lunch/noon/midday/dinnertime) | pre - lunch | pre lunch -> part 480 720
partname <- (over/at/around/during/round about/in my/in the/) (lunch/lunch time/lunch break/dinner time/lunchbreak) | (around/over) (midday/noon) | lunch - time -> part 690 840
partname <- after lunch | post lunch | post - lunch | right after lunch -> part 780 1080
partname <- after school -> part 900 1080
partname <- (at/around/) (tea time/teatime) -> part 960 1080
partname <- before (dinner/supper/tea) -> part 960 1110
partname <- after (work/the office/office hours/shift) | (in the/after/) feierabend -> part 1050 1320
partname <- after (dinner/supper/tea) -> part 1140 1350
partname <- before (bed/bedtime/sleep/i go to bed/going to sleep/going to bed/i sleep/sleeping) | (at/) bedtime -> part 1260 1380
partname <- (while it/when it/as long as it/while there) (is/s/) (still/) light | (in/only in/) (daylight/day light/light time/the daylight) | daylight only | by daylight | in the daytime | it's light -> part 480 990
partname <- (at/around/) (dusk/sunset/sundown) -> part 960 1080
partname <- (during/in/) (office/working/business/banking) hours | in the hours of work | hours of work -> part 540 1050
partname <- a . m . | a . m -> part 360 720
partname <- p . m . | p . m -> part 720 1080
partname <- late (on/) -> part 1140 1380
partname <- early (on/) -> part 360 540
partname <- (in/at/) the small hours | in the early hours -> part 0 360
night <- tonight | tonite | 2 nite | this evening | this eve | this night | today (evening/night) | evening today -> dayPart today 0 1050 1320
night <- this {part} | {part} today | rest of the {part} | later today | late today -> dayPart today 0
night <- that (same/) {part} | the same {part} | same {part} | on the {part} itself | {part} of the same day -> dayPart said 0
night <- (the/on the/) {weekday} {part} before -> weekdayPart before
night <- (the/on the/) {weekday} {part} after -> weekdayPart after
night <- (on/) (the/) {part} before {day} -> partBefore
night <- (on/) the {part} before | (the/) previous {part} -> dayPart said -1
night <- (the/on the/) (next/following) {part} | the {part} after -> dayPart said 1
zonename <- (their/his/her/local) (local/) time -> zoneNamed there
same <- same (again/as before/thing/)
same <- (at/in/) (the/) same (time/times/hour/hours/slot/window/clock time/time slot) (of day/as usual/as always/as before/as now/) | (the/) usual time | same time same place | at that hour | in that slot | there instead , same time | same slot | the same time | as always | same as usual | as usual | at the same clock
`;
