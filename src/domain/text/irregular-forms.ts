/** Irregular forms of English words, which no stemmer relates: a search for "went" must also find "go" and "gone". */
import { terms } from './search-words.ts';

const IRREGULAR =
  'arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bind bound|bite bit bitten|' +
  'bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|' +
  'come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|' +
  'feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|' +
  'freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|' +
  'kneel knelt|know knew known|lay laid|lead led|lean leant|learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|' +
  'mistake mistook mistaken|pay paid|prove proven|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|' +
  'sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|' +
  'sleep slept|slide slid|speak spoke spoken|speed sped|spell spelt|spend spent|spill spilt|spin spun|spring sprang sprung|stand stood|' +
  'steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung|take took taken|' +
  'teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|' +
  'weave wove woven|weep wept|win won|withdraw withdrew withdrawn|write wrote written|' +
  'child children|foot feet|goose geese|half halves|knife knives|leaf leaves|life lives|man men|mouse mice|person people|shelf shelves|' +
  'tooth teeth|wife wives|wolf wolves|woman women';

const groups = new Map<string, string[]>();
for (const group of IRREGULAR.split('|')) {
  const forms = [...new Set(terms(group))];
  for (const form of forms) groups.set(form, [...new Set([...(groups.get(form) ?? []), ...forms])]);
}

/** Returns a term (as `terms` gives them) and the terms of the word's other forms, itself first. */
export const formsOf = (term: string): string[] => {
  const forms = groups.get(term);
  return forms ? [term, ...forms.filter((form) => form !== term)] : [term];
};
