/** Spellings of chats and notes: what is written short, run together or often wrong, and the words it stands for. */

/** 'u you|allday all day': the first word is what is written. */
const spelt = (pairs: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    pairs.split('|').map((pair) => {
      const [written = '', ...words] = pair.split(' ');
      return [written, words];
    }),
  );

export const SPELLINGS = spelt(
  "u you|ur your|pls please|plz please|thx thanks|yea yeah|kinda maybe|cant can't|wont won't|dont don't|im i'm|ive i've|" +
    "whens when's|wheres where's|hows how's|thats that's|theres there's|doesnt doesn't|isnt isn't|wasnt wasn't|" +
    "couldnt couldn't|nite night|n and|whats what's|appt appointment|appts appointments|shes she's|hes he's|theyre they're|weve we've|" +
    "arent aren't|tonite tonight|2nite tonight|tomorow tomorrow|tommorow tomorrow|tommorrow tomorrow|tmrw tomorrow|tmr tomorrow|tmw tomorrow|" +
    '2moro tomorrow|2morrow tomorrow|tomoz tomorrow|2day today|tdy today|mtg meeting|mtgs meetings|mtng meeting|bday birthday|' +
    'wk week|wks weeks|wknd weekend|wkend weekend|wkdays weekdays|wkday weekday|arvo afternoon|avo afternoon|' +
    'morn morning|mornin morning|mng morning|allday all day|sth something|smth something|sry sorry|soz sorry|srry sorry|insted instead|instd instead|' +
    'actualy actually|acutally actually|actally actually|nxt next|bfast breakfast|brekkie breakfast|evry every|btwn between|b4 before|' +
    'abt about|hrs hours|mth month|mths months|yr year|yrs years|' +
    'resch reschedule|cxld cancelled|canc cancel|cncl cancel|' +
    '-> → to|--> → to|=> → to|→ → to|⇒ → to|➔ → to|➜ → to|👉 → to',
);
/** Without its apostrophe: 'tomorrows lunch'. */
export const POSSESSIVES: ReadonlyMap<string, string> = new Map(
  'todays today|tomorrows tomorrow|tonights tonight|yesterdays yesterday'
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
);
/** Words that are known so well that one wrong letter does not hide them. */
export const OFTEN_MISSPELT =
  'tomorrow tonight yesterday afternoon weekend instead actually january february september october november december minutes'.split(
    ' ',
  );
/** Words of their own that are one letter away from these. */
export const OWN_WORDS = new Set('mourning minute minuses weekends weekender factually afternoons tonights'.split(' '));
