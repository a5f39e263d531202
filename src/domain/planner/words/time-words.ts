/** Words of time: what a single word is. Phrases of several words are in the grammar. */
import { tableOf } from './tables.ts';

const numbered = (text: string): ReadonlyMap<string, number> =>
  new Map([...tableOf(text)].map(([word, value]) => [word, Number(value)]));

export const WEEKDAYS = numbered(`
1: monday mon montag lundi lunes maandag
2: tuesday tue tues dienstag mardi martes dinsdag
3: wednesday wed weds wednes wensday mittwoch mercredi miércoles woensdag
4: thursday thu thur thurs donnerstag jeudi jueves donderdag
5: friday fri freitag vendredi viernes vrijdag
6: saturday sat samstag samedi sábado zaterdag
7: sunday sun sonntag dimanche domingo zondag
`);
export const WEEKDAY_PLURALS = numbered(`
1: mondays mons
2: tuesdays
3: wednesdays
4: thursdays
5: fridays fris
6: saturdays sats
7: sundays suns
`);
/** Days from today. */
export const NOW = numbered(`
0: today now tdy heute hoy
1: tomorrow tmrw tmr tmw tomoz tomo tom demain mañana
-1: yesterday
`);
/** Other spellings of words that the grammar names. */
export const SPELLINGS = tableOf(`
week: weak
weeks: weaks
weekend: wkend wknd
the: teh
tonight: tonihgt tonite
thursday: thrs
tomorrow: tommorow tommorrow tomorow tommorw
from: form
between: btw
`);
/** They are other words too, so they count only where nothing else fits. */
export const SHORT_WEEKDAYS = numbered(`
1: mo
2: tu di
3: mi
4: th jeu
5: fr vie
6: sa
7: su
`);
export const LETTER_WEEKDAYS = numbered(`
1: m
2: t
3: w
5: f
`);
export const MONTHS = numbered(`
1: january jan januar janvier
2: february feb februar février
3: march mar märz mars
4: april apr
5: may mai mayo
6: june jun juni juin
7: july jul juli juillet
8: august aug
9: september sep sept
10: october oct oktober octobre
11: november nov novembre
12: december dec dezember décembre dic
`);
export const SMALL_NUMBERS = numbered(`
1: one
2: two
3: three
4: four
5: five
6: six
7: seven
8: eight
9: nine
10: ten
11: eleven
12: twelve
13: thirteen
14: fourteen
15: fifteen
16: sixteen
17: seventeen
18: eighteen
19: nineteen
`);
export const TENS = numbered(`
20: twenty
30: thirty
40: forty fourty
50: fifty
60: sixty
70: seventy
80: eighty
90: ninety
`);
export const ORDINALS = numbered(`
1: first
2: second
3: third
4: fourth
5: fifth
6: sixth
7: seventh
8: eighth
9: ninth
10: tenth
11: eleventh
12: twelfth
13: thirteenth
14: fourteenth
15: fifteenth
16: sixteenth
17: seventeenth
18: eighteenth
19: nineteenth
20: twentieth
30: thirtieth
`);
export const FRACTIONS = numbered(`
0.5: ½
0.25: ¼
0.75: ¾
`);

/** Units: 'minutes 1', 'days 7'. */
export const UNITS = tableOf(`
minutes 1: min mins minute minutes m '
minutes 60: hour hours hr hrs h
days 1: day days d
days 7: week weeks wk wks w
days 14: fortnight fortnights
months 1: month months
months 3: quarter quarters
months 12: year years yr yrs
`);

/** Parts of the day, as minutes of it. */
export const PARTS = tableOf(`
420 720: morning mornings forenoon
690 840: lunchtime lunchtimes
780 1080: afternoon afternoons arvo aft
960 1080: teatime
1050 1320: evening evenings feierabend
1050 1320: eve eves
1080 1380: night nights nite
480 990: daylight
`);

/** What a clock time of another place is called by. */
export const ZONES = tableOf(`
UTC: utc gmt
Europe/London: bst lhr uk british london english
Europe/Dublin: irish ireland
Europe/Lisbon: portuguese lisbon portugal
Europe/Berlin: cet cest mez mesz german germany
Europe/Athens: eet eest greek
Europe/Istanbul: turkish turkey trt
Europe/Moscow: msk
America/New_York: et est edt eastern nyc ny boston miami
America/Chicago: ct cst cdt central
America/Denver: mst mdt mountain
America/Los_Angeles: pt pst pdt pacific la sf seattle
America/Sao_Paulo: brt brasília brasilia
America/Argentina/Buenos_Aires: art
America/Bogota: cot
Africa/Lagos: wat nigerian
Africa/Johannesburg: sast
Africa/Nairobi: eat
Asia/Dubai: gst uae
Asia/Kolkata: ist delhi mumbai hyderabad india indian
Asia/Shanghai: beijing china chinese
Asia/Singapore: sgt
Asia/Ho_Chi_Minh: hanoi
Asia/Tokyo: jst japan japanese
Asia/Seoul: kst korean
Australia/Sydney: aest aedt
Pacific/Auckland: nzst nzdt
`);

/** Words beside a time that change nothing of it: small ones, and others that are read so only where nothing else fits. */
export const FILLERS = tableOf(`
0.1: on at in of for the a an my our your his her their its it is are was be to from so and then please pls say like
0.1: about around circa ca approx approximately roughly maybe perhaps probably possibly just only exactly really always
0.1: sharp prompt promptly local also too again as well even already instead here there this that these those any
0.1: , ; . : ! ? ( ) - / ~ @ + & " ” “ … * = > → · ' into very
0.1: ideally preferably preferred preferable better best rather um uh vom either both apiece has have had
0.1: i he she they you can can't would should i'd i'm it's that's all over through throughout during some must we'd
0.2: least most max maximum minimum tops
0.1: with if possible at still though really definitely def certainly obviously obvs nah n me us them
1.5: earliest soonest time times clock slot slots one ones somewhere anywhere anytime sometime min
1.5: long good total start starts starting begin begins beginning doors open gates window dep arr t end out off closed
1.5: prefer prefers day days latest lasts takes only need needs goes usual date dates running whole extra be do does done
1.2: each
1.5: ab kl uhr ish ganztägig clear coming leaving close finish whatever
1.5: solid estimate together bout session sessions appointment reporting admission reception departure itself works work fine
1.5: convenient keep leave need want wants hour night week old comes free excl incl exc excluded excepted
`);
