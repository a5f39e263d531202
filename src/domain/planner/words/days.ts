/** The grammar of days and stretches of days (the form of it is explained at LENGTHS). */
export const DAYS = `
# --- a single day
ordn <- {ord} | {ordsmall}
ordn <- {tens} (-/) {ordsmall} -> add
th <- {ordn} | the {ordn} | the {dom} | the {word} -> same
dated <- {th} (of/./) {month} (of/,/) ({year}/) | {dom} (of/./. of/) {month} (of/,/) ({year}/) | {word} (of/) {month} -> date
dated <- {dom} (ur/number) -> dayNumber
dated <- {month} (the/,/) {th} (,/) ({year}/) | {month} {dom} (,/) ({year}/) | {month} (the/) {word} | {month} . {th} (,/) ({year}/) -> monthDate
dated <- {dots} ({year}/) | {slash} ({year}/) | {isodate} | {isodate} t
dated <- {dom} SLASH {month} (SLASH/) ({year}/) | {dom} - {month} (-/) ({year}/) -> date
numbered <- {th} | day {dom} | {dom} number | {word} number -> dayNumber
numbered <- {highdom} -> dayNumber
wday <- {weekday} ({dot}/)
dot <- .
wday <- {shortday}
which <- next | nxt | the next | the following | following -> is next
which <- last | the last | previous | past -> is last
which <- that | the same | of same | same -> is that
here <- the day | on the day | this | this coming | coming | the coming | upcoming | one | the | on | my | our | some | of this | of | her
day <- {dated} | {numbered}
day <- {wday} -> weekday
day <- {here} {wday} | {wday} (slot/one/thing/instead/coming/this week/then/also) | the {wday} (slot/one/thing) -> weekday
day <- {which} {wday} | {wday} (next/following) -> weekdayNext
day <- next next {wday} | the {wday} after next | {wday} after next | the {wday} after the next -> weekdayPlus next 7
day <- {wday} week | a week on {wday} | a week {wday} | {wday} in a week | a week from {wday} | this {wday} week -> weekdayPlus this 7
day <- {wday} in {amount} -> plusBehindWeekday
day <- {wday} in (two weeks/a fortnight) | {wday} fortnight | fortnight {wday} | a fortnight on {wday} | two weeks on {wday} -> weekdayPlus this 14
day <- the (same/) {wday} after (that/) | the {wday} thereafter | the following {wday} | the {wday} following -> weekday after
day <- the {wday} before (that/) | the {wday} previous -> weekday before
day <- (the/this/on the/) {wday} (,/) (the/on the/on/) {dated} | (the/this/on the/) {wday} (,/) (the/on the/on/) {numbered} | {wday} {dom} | {wday} the {dom} -> weekdayDate
day <- {dated} (, / on the / on a / on / OPEN / ) ({wday}) (CLOSE/) | the {ordn} , {wday} | on {numbered} , {wday} -> dateWeekday
day <- {now} | {now} itself
day <- {now} week | a week {now} -> plusDays 7
day <- {now} fortnight | fortnight {now} | a fortnight {now} -> plusDays 14
day <- 2 (moro/morrow/moz/mrw/mro) -> today 1
day <- (the/) day after tomorrow | after (-/) tomorrow | overmorrow | day after tmrw -> today 2
day <- (the/) day before yesterday -> today -2
day <- (the/) day after (that/it/this/) | (the/) next day | (the/) following day | a day later | one day later -> said 1
day <- (the/) day before (that/it/this/) | (the/) previous day | a day earlier | one day earlier | the eve -> said -1
day <- (the/on the/of the/) (very/) same day | that (whole/) day | (on/) the day (itself/) | (at/on/of) that (day/date) | that very day | of this day | the rest of that day | then -> said 0
day <- {wday} (,/) {maybedots} -> weekdayDate
day <- {holiday} OPEN {dated} CLOSE -> holiday
day <- {holiday} (day/) ({year}/) | (the/) {ordn} (sunday of/sunday in/of/) advent (sunday/) -> holiday
holiday <- christmas eve | xmas eve | heiligabend -> holiday christmas -1
holiday <- christmas | xmas | christmas day | xmas day | noel -> holiday christmas 0
holiday <- the (christmas/xmas) -> holiday christmas 0
holiday <- boxing day | (the/) second day of christmas | second christmas day -> holiday christmas 1
holiday <- new year eve | new years eve | silvester | nye | new year's eve -> holiday newyear -1
holiday <- (the/) new year | new years | new year's | new year day | new years day | nye day -> holiday newyear 0
holiday <- epiphany | three kings -> holiday epiphany 0
holiday <- valentine | valentines | valentine's | valentine day | valentines day -> holiday valentine 0
holiday <- st patrick (day/) | st patricks day -> holiday patrick 0
holiday <- halloween -> holiday halloween 0
holiday <- all saints (day/) -> holiday saints 0
holiday <- (st/) (nicholas/nikolaus) (day/) -> holiday nicholas 0
holiday <- christmas market -> holiday advent 0
holiday <- shrove tuesday | pancake day -> holiday easter -47
holiday <- hogmanay -> holiday newyear -1
holiday <- ash wednesday -> holiday easter -46
holiday <- carnival monday | rose monday -> holiday easter -48
holiday <- palm sunday -> holiday easter -7
holiday <- maundy thursday -> holiday easter -3
holiday <- good friday -> holiday easter -2
holiday <- easter saturday -> holiday easter -1
holiday <- easter | easter sunday -> holiday easter 0
holiday <- easter monday -> holiday easter 1
holiday <- ascension (day/) -> holiday easter 39
holiday <- whit sunday | pentecost | whitsun -> holiday easter 49
holiday <- whit monday | pentecost monday -> holiday easter 50
holiday <- corpus christi -> holiday easter 60
holiday <- thanksgiving (day/) -> holiday thanksgiving 0
holiday <- (first/) advent (sunday/) -> holiday advent 0
holiday <- mothering sunday -> holiday easter -21
holiday <- mother day | mothers day -> holiday mothers 0
holiday <- independence day | july (4th/fourth) | the fourth of july -> holiday july4 0
holiday <- memorial day -> holiday memorial 0
holiday <- labor day | labour day -> holiday labor 0
holiday <- columbus day -> holiday columbus 0
holiday <- anzac day -> holiday anzac 0
holiday <- king day | koningsdag -> holiday kings 0
holiday <- juneteenth -> holiday juneteenth 0

# --- days counted from others
day <- {amount} (from/after/on from/past/following) {day} | {amount} {day} -> plus
day <- {day} {amount} | {day} (plus/+) {amount} -> plusBehind
day <- {amount} (before/ahead of/prior to) {day} -> back
day <- {amount} after (that/it/this) | {amount} (later/afterwards) | {amount} after -> saidPlus
day <- {amount} before (that/it/this) | {amount} (earlier/beforehand) | {amount} before | {amount} in advance -> saidBack
day <- (the/) day after {day} -> plusOne 1
day <- (the/) (day/evening) before {day} | (on/) the eve of {day} -> plusOne -1
day <- (the/) (last/) {wday} (before/of the week before) {day} -> weekdayBy before
day <- (the/) {wday} after {day} -> weekdayBy after
day <- not this {wday} but the (one/) (after/next) | the {wday} after this one -> weekdayPlus this 7
day <- the one after (that/next/) -> oneAfter

# --- weeks, months and other stretches
unitname <- week | wk -> is week
unitname <- weekend | wkend | wknd | week (-/) end -> is weekend
unitname <- month -> is month
unitname <- quarter -> is quarter
unitname <- (year/yr) -> is year
next <- next | the next | nxt | coming | the coming | following
period <- (this/this coming/the/of the/of this/my whole/of/in the/during the/my) {unitname} -> cycle 0
period <- {next} {unitname} | {unitname} coming -> cycle 1
period <- {unitname} after next | the {unitname} after next | next next {unitname} | next (-/) to (-/) next {unitname} -> cycle 2
period <- last {unitname} | (the/) previous {unitname} | (the/) past {unitname} -> cycle -1
period <- the {unitname} after (that/) | the following {unitname} | {unitname} after -> cycleSaid 1
period <- the {unitname} before (that/) -> cycleSaid -1
period <- that (same/) {unitname} | those {unitname} | the same {unitname} | same {unitname} | {unitname} itself -> cycleSaid 0
period <- (a/one/some/) weekend | weekends | both days of the weekend -> cycleIs weekend 0
period <- (the/) rest of (the/this/my/that/) {unitname} | the remaining {unitname} | (this/the) {unitname} still -> cycleRest
period <- (the/) {unitname} of {dated} | the {unitname} of {numbered} | {unitname} of (the/) {dom} | {unitname} of {dated} | (the/) {unitname} (commencing/starting/beginning/from) {day} | (w SLASH c/wc/w SLASH b) {day} | (w SLASH c/wc/w SLASH b) {dom} -> weekOf
period <- (kw/cw/wk/week/calendar week/week no/week number/wk no) {int} -> calendarWeek
period <- {month} ({year}/) | {month} of {year} | the month of {month} | month of {month} | (of/in) {month} -> month
period <- (early/beginning of/start of/the beginning of/the start of/the first days of/the first part of/early in) {period} -> slice 0 0.34
period <- (mid/mid -/middle of/the middle of/in the middle of) {period} -> slice 0.34 0.67
period <- (late/late in/end of/the end of/the latter part of/towards the end of/the back end of) {period} -> slice 0.67 1
period <- (the/) (first/1st) half of (the/) {period} | early half of {period} -> slice 0 0.5
period <- (the/) (second/latter/2nd) half of (the/) {period} | latter half of {period} -> slice 0.5 1
period <- mid (-/) week -> midweek
period <- (the/) {ordn} (full/) (week/wk) (of/in/) {period} -> nth week
period <- last week (of/in) {period} | the last week -> nthLast week
period <- (the/) {ordn} weekend (of/in) {period} -> nth weekend
period <- last weekend (of/in) {period} -> nthLast weekend
period <- (the/) (first/1st) (or second/and second) week of {period} -> slice 0 0.5
period <- (early/some time/sometime/) in the new year -> newYear
period <- (over/during/at) (the/) (christmas/xmas) (holidays/break/period/days/) -> over christmas -1 1
period <- (over/during) (the/) new year -> over newyear -1 0
period <- (over/during) (the/) easter (holidays/break/weekend/) -> over easter -2 1
period <- between the years -> betweenYears
period <- (the/) (next/coming) fortnight | coming fortnight -> comingFixed 14
period <- (later/late) (in/) (the/this) {unitname} -> cycleRest
period <- (the/) (next/coming/following/nxt) {amount} | (within/inside) (the/) (next/coming/) {amount} | (over/in/during/for) (the/) (next/coming) {amount} | these {amount} -> coming
period <- {next} few days -> comingFixed 3
period <- (the/) week before {day} | the {unitname} before {day} -> weekBefore
period <- the {unitname} after {day} | the week following {day} -> weekAfter
period <- from {unitname} to {unitname} -> cycle 0
period <- (q) ^ {int} -> quarterOf
period <- {unitname} (starting/of/from/beginning) {weekday} -> cycle 0
period <- that (time/period) | those (days/dates/weeks) | these (days/weeks) | both days | in between | between those dates | the days of it -> those

# --- the nth of a stretch, a day of a stretch
day <- (the/) {ordn} {wday} (of/in/) (the/) {period} | every {ordn} {wday} of {period} -> nthDay
day <- (the/) {ordn} (of/in/) (the/) {period} | (the/) {dom} of (the/) {period} -> nthOf
day <- (the/) last {wday} (of/in/) {period} -> nthLastDay
day <- (the/) (last/final) (working/work/business/week) (-/) day (of/in) {period} | the last workday (of/in) {period} -> nthLast workday
day <- (the/) last day (of/in) {period} | (the/) very last day of {period} | {month} end | (the/) end of (the/) {period} | {unitname} end | end {period} | eom | last of {month} -> nthLast day
day <- (the/) first (working/work/business) day (of/in) {period} -> nthFirst workday
day <- (the/) (first day/beginning/start) (of/in) {period} -> nthFirst day
day <- {wday} (of/in/) (the/) {period} | {period} (,/on/, on/the/) {wday} -> dayIn
day <- {period} (,/) (the/) {ordn} {wday} -> nthDayBehind
day <- {period} (,/on/,  on/) {numbered} -> dateIn
day <- (the/) {wday} (that/the same) week -> weekdayThatWeek

# --- several days
lo <- {dom} (./) | {th} | the {dom}
thru <- to | - | till | until | til | through | thru | bis | up to | to about | till about | to the | - the | au
days <- {day} | {period}
range <- {lo} {thru} {dated} | between {lo} (and/to) {dated} | from {lo} {thru} {dated} -> lowRange
range <- {lo} {thru} (the/) {numbered} | between {numbered} and {numbered} -> numberRange
range <- {wday} {thru} {wday} {lo} {thru} {dated} -> wdaysLowRange
range <- {wday} {lo} {thru} {day} | {wday} {lo} {thru} {wday} {dated} -> wdayRange
range <- {th} {thru} {dom} -> numberRange
range <- (from/) {dom} {thru} {dom} (inclusive/incl/both included) -> numberRange
range <- {month} {th} {thru} {th} | {month} {dom} {thru} {dom} -> monthRange
range <- {range} (of/in/,/) {period} | {period} (,/from/:) {range} -> rangeIn
range <- from {wday} {thru} {wday} (of/in/,/) {period} | {wday} {thru} {wday} (of/in/,/) {period} | {period} (,/from/on/:) {wday} {thru} {wday} -> wdaysIn
range <- (the/in the/) week between christmas and new year | between christmas and new year | between xmas and new year | between xmas and ny | christmas to new year -> betweenYears
range <- {day} {thru} {day} | {period} {thru} {period} | {day} {thru} {period} | {period} {thru} {day} | from {day} {thru} {day} | from {period} {thru} {period} | between {day} (and/-/to/n) {day} | between {period} and {period} | between {day} and {period} | between {period} and {day} | from {day} {thru} {period} -> range
fromrange <- from {range} | between {range} -> same
range <- {range} (both included/both days inclusive/inclusive/incl ./incl/included) -> same
range <- {month} {thru} {month} | from {month} {thru} {month} -> monthsRange
days <- {range}
and <- and | & | , | + | , and | and also | and the | SLASH | , the | , on | and on | plus | and then | then | . | n | as well as | also | and also on | , or
datelist <- {dated}
datelist <- {slash} {month} -> slashList
datelist <- {lo} {and} {datelist} -> lowsDate
days <- {lo} or {dated} -> lowsChoice
days <- {numbered} or {dom} | on {dom} or {dom} -> numberChoice
days <- (the/) {ordn} (and/&) (the/) {ordn} {wday} (of/in/) {period} -> nthTwo
days <- {datelist} -> sameList
numberlist <- {numbered} -> sameNumber
numberlist <- {lo} {and} {numberlist} | {numbered} {and} {numberlist} -> numberList
days <- {numberlist} -> sameList
single <- {day} | {range} | {period} | {datelist} | {numberlist}
listed <- {single}
listed <- {single} {and} {listed+} -> list
days <- {single} {and} {listed+} -> list
days <- {single} or {listed+} -> choice
days <- {wday} {wday} | {wday} {wday} {wday} | {wday} {wday} {wday} {wday} -> wdays
days <- (this/the) + next {unitname} | this and next {unitname} | {period} and (the/) (next/one after) | this {unitname} or next | {period} or next -> twoCycles
days <- {fromrange}
days <- {day} and (the/) (next/one after/one after that/following one/day after) | {day} and the one after -> dayAndNext
days <- {month} {and} {months+} | {month} {months+} -> monthList
months <- {month} | {month} {and} {months+} -> months
wholedays <- all (of/the/) {days} | (the/my/your/a/) (whole/entire) (of/) {days} | (for/) the whole (of/) {days} | all of {days} -> wholeDays
days <- the bulk of {days} -> same
days <- first (three/3) days -> firstDays 3
`;
