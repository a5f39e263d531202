/**
 * The grammar of numbers and lengths: kind <- pattern | pattern -> production constant. {kind} is a phrase of that kind, {kind+}
 * only the longest, (a/b/) a choice, ^ no space here, SLASH OPEN CLOSE the signs / ( ). The other layers begin with this one.
 */
export const LENGTHS = `
# --- numbers
word <- {small} | {tens}
word <- {tens} (-/) {small} -> add
word <- oh {small} | zero {small}
num <- {int} | {word} | {decimal} | {fraction}
num <- {int} {fraction} -> add
num <- {word} hundred -> hundreds
num <- (a/) couple (of/) | (a/) pair of -> number 2
num <- (a/) few (of/) | several -> number 3
num <- half a dozen -> number 6
num <- a dozen -> number 12

# --- lengths
link <- - | clear | solid | continuous | full | whole | solid | clear | good | short | free | more | extra | further | little | straight | working | business | consecutive | or so | uninterrupted | quiet | proper | calendar | evening | separate
amount <- {num} ({link}/) {unit} -> times
amount <- {num} (- / to / or /, ){num} ({link}/) {unit} -> upper
amount <- (a/an/one/the/another) ({link}/) ({link}/) {unit} -> one
amount <- {num} and (a/one/) half ({link}/) {unit} -> times 0.5
amount <- {num} and a quarter ({link}/) {unit} -> times 0.25
amount <- {amount} and (a/) half -> andHalf
amount <- {unit} and (a/) half -> oneHalf
amount <- {amount} and a quarter | {amount} and quarter -> fixedMore 15
amount <- {amount} and three quarters -> fixedMore 45
amount <- {amount} (and/) {amount} -> sum
amount <- {amount} (and/) {num} -> bareTail
amount <- half (a/an/) (-/) {unit} | a half (-/) {unit} | half of (a/an) {unit} -> fraction 0.5
amount <- (a/) quarter (of/) (a/an/) (-/) {unit} -> fraction 0.25
amount <- three (-/) quarters of (a/an) {unit} -> fraction 0.75
amount <- half a (shift/term) -> fixedAmount 240
amount <- {num} (more/) (night/nights) | {num} days {num} nights -> dayAmount
amount <- {num} ours -> fixedHours
amount <- an our -> fixedAmount 60
amount <- half an our -> fixedAmount 30
amount <- a (whole/) (night/afternoon/morning) off -> fixedAmount 240
amount <- {num} {unit} (à/x/of) {num} {unit} -> product
amount <- {num} (scripts/pieces/calls/interviews/papers/slots/people/items/pages) (à/x/of/at) {amount} -> productOf
amount <- {num} (x/×/times) {num} {unit} -> product

# --- longer, shorter, later, earlier
way <- longer | more | extra | additional | plus | on top -> is more
way <- shorter | less | off -> is less
way <- later | after | back | late | behind | backwards | down | l 8 r | to behind | to the right -> is later
way <- earlier | sooner | forward | early | ahead | up | front | nearer -> is earlier
than <- than (planned/usual/that/normal/now/before/scheduled)
length <- {amount} -> length
length <- by {length} | {length} each | {length} (tops/or so/at most/max/maximum/in total/in all/each way/apiece/together/or thereabouts/more or less/in sum) -> same
number <- by {number} | {number} each -> same
vague <- by {vague} -> same
length <- (about/short/whole/) {unit} -> length
lasting <- for {length} | for the {length} -> same
length <- {amount} {way} ({than}/) | {way} (,/) (by/) {amount} | {way} , {amount} -> lengthWay
length <- (another/an extra/an additional/a further) {unit} -> lengthOne more
length <- (another/an extra/an additional/a further/further/extra) {amount} -> length more
length <- {num} more {unit} -> lengthTimes more
length <- + {amount} | ++ {amount} -> length more
length <- - {amount} | minus {amount} -> length less
number <- {num} -> bare
number <- + {num} -> bare more
number <- {num} {way} -> bareWay
vague <- (a/one/) (bit/little/bit of time/while) ({way}/) -> vague
vague <- {way} -> vague
factor <- double (the time/the length/that/) | twice as long | (a/) double -> factor 2
factor <- half (of that/of it/its length/the time/the length/as long) | in half -> factor 0.5
vague <- (by/) (the/) same (amount/number of days/length/number of) | (the/) same (length/) (as last time/) | by however long that takes | accordingly | same amount -> vague
whole <- all the day | all (-/) day (long/) | (a/the/) (whole/full/entire) (free/) (day/days) | (full/whole) weekdays | full time | completely | all - day -> whole
length <- (a/the/one/) (whole/full/long/) weekend -> days 2
ahead <- (at/) this time next week -> aheadFixed 10080
ahead <- (at/) this time tomorrow -> aheadFixed 1440
ahead <- in (exactly/about/like/around/roughly/another/) {amount} (or so/from now/) | in {amount} ('/) time | {amount} from (now/today/then) | after {amount} (from (now/today)/) | between {amount} -> ahead

# --- how often, how apart, in what pieces
count <- {num} (times/time/x/×) (more/in all/in total/altogether/) | {num} ^ x | {num} (sessions/session/goes/sittings/lots/classes/occasions/dates/slots/blocks/rounds/of them/half days/pieces/appointments/lessons/weekends/parts) -> count
count <- {num} (free/) {part} -> countPart
count <- x (-/) {num} | × {num} -> count
count <- twice (more/) | two more | both -> countFixed 2
count <- thrice -> countFixed 3
count <- once | one call each -> countFixed 1
gap <- (between/apart/in between) ({gapthing}/)
gapthing <- (each/them/the two/two runs/one and the other/sessions/each one/in between/each of them)
apart <- {amount} (in/) {gap} | {amount} distance | {amount} (rest/break) {gap} | a gap of {amount} ({gap}/) | (with/) {num} {gap} -> apart
apart <- {num} (min/) between each -> apart
apart <- not (on/) (consecutive/successive) (days/evenings/nights) | (not/never) two (days/nights/evenings/) (running/in a row/following) | no two in a row | (not/never) back (to/2) back | different days | (on/) different days | a different day for each | diff days | spread over different days | always on another day -> apartDays 2
apart <- (not/no/never) (two/both/all/) (on/in) (the/) same day | (not/never) (two/all/both) on (one/1/the same) day | (never/not) two on one day | not same day | not both on the same day | not the same day -> apartDays 1
apart <- (not/no/never) (two/both/) (on/in/) the same week -> apartDays 7
pieces <- pieces | chunks | blocks | bits | sessions | sittings | parts | goes | slots | lots
piece <- (in/into/by/) {pieces} of (no more than/max/at most/maximum/up to/) {amount} | (in/) {amount} {pieces} | {amount} (at a time/a go/a sitting/at most a sitting/at a stretch/per sitting) | (in/by/) {pieces} not (more/longer) than {amount} | no {pieces} (longer/over/more) than {amount} | no block longer than {amount} | nothing over {amount} at a stretch -> piece
piece <- {pieces} of {amount} or (longer/more) | {pieces} of at least {amount} -> piece least
piece <- (in/) one (go/piece/sitting/trip) | all in one (go/trip) | one go not chunks -> whole
most <- (at/) (most/max/maximum) | max | no more than | not more than | never more than | only | up to
per <- a day | per day | on one day | each day | SLASH day | in a day | SLASH d
rate <- ({most}/) {num} {per} -> rateTimes
rate <- ({most}/) {amount} {per} -> rateOf
rate <- {per} ({most}/) {num} -> rateTimes
spread <- (spread/) (evenly/) over {amount} -> spread
spread <- (into/over/on) {num} (days/mornings/evenings/afternoons) -> spreadDays
`;
