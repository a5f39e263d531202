/**
 * Counts what carries the most information in everyday text: names, numbers, dates and decisions, found by their form and by
 * lists of common words.
 */
import { createWordCache } from './word-cache.ts';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words for dates in English, German, French and Spanish. */
const DATES = wordSet(
  'january february march april june july august september october november december jan feb mar apr jun jul aug sep sept oct ' +
    'nov dec monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday tonight noon midnight week month ' +
    'quarter year deadline due until ' +
    'januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen ' +
    'gestern woche monat quartal jahr frist ' +
    'janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi ' +
    'dimanche demain hier semaine mois ' +
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves ' +
    'viernes sábado domingo hoy mañana ayer semana mes',
);
const DECISIONS = wordSet(
  'decided decide decision agreed agree approved approve rejected reject refused confirmed cancelled canceled chose chosen ' +
    'selected moved postponed rescheduled promised committed signed accepted resolved fixed shipped must will shall never ' +
    'need needs todo action because therefore instead prefer prefers wants ' +
    'entschieden entscheidet beschlossen vereinbart genehmigt abgelehnt zugesagt gekündigt verschoben abgesagt bestätigt muss müssen ' +
    'unterschrieben unterschreibt weil deshalb ' +
    'décidé décide accepté refusé approuvé reporté annulé confirmé signé convenu doit doivent ' +
    'decidido decidió decidimos acordado acordó aprobado aprobó rechazado rechazó aplazado cancelado confirmado firmado debe deben',
);

type Kind = 'number' | 'date' | 'decision' | 'name' | null;
export type Facts = Record<NonNullable<Kind>, number>;

/** Hashes a word to a number, regardless of letter case. Two words of a text get the same number once in a billion times. */
const digestOf = (lower: string): number => {
  let digest = 0;
  for (let i = 0; i < lower.length; i++) digest = (Math.imul(digest, 31) + lower.charCodeAt(i)) | 0;
  return digest >> 1; // V8 holds it as a small integer and compares many of these fast.
};

const wordAt = createWordCache((raw) => {
  const lower = raw.toLowerCase();
  return { id: digestOf(lower), kind: kindOf(raw, lower) };
});

const kindOf = (raw: string, lower: string): Kind => {
  if (raw.includes('://')) return null;
  const word = lower.replace(/(?<![.,;:!?)"'”])[.,;:!?)"'”]+$/, '');
  if (/\p{N}/u.test(word)) return 'number';
  if (DATES.has(word)) return 'date';
  if (DECISIONS.has(word)) return 'decision';
  return word.length > 1 && /^["'“(@#]?\p{Lu}/u.test(raw) ? 'name' : null;
};

/** Chinese and Japanese are written without spaces between words. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;
const UNSPACED_FACTS: [keyof Facts, RegExp][] = [
  [
    'number',
    /\p{Nd}[\p{Nd}.,:]*|(?<![一二三四五六七八九十百千万億亿两])[一二三四五六七八九十百千万億亿两]+(?=[个個件人元円万億亿年月日时時点%])/gu,
  ],
  [
    'date',
    /年|月|[日号](?![本语語])|(?:星期|礼拜|周|週)[一二三四五六日天末]|[月火水木金土日]曜|[今明昨后]天|今日|明日|昨日|来週|下周|上周|之前|まで|期限/gu,
  ],
  [
    'decision',
    /决定|決定|决议|決議|同意|批准|承認|承认|签订|签署|签字|締結|契約|合同|取消|推迟|延期|拒绝|却下|合意|約束|必须|必要|负责|負責|確認|确认|提案|采用|採用|选择|選択/gu,
  ],
  ['name', /(?:さん|氏|先生|女士|经理|部長|社長|公司|株式会社)|[A-Z][A-Za-z]+/gu],
];

/** A bullet or list number does not count as the beginning of a sentence. */
const MARK = /^(?:[-*•–]|\(?\d{1,3}[.)])\s+/;

/** Counts each kind in a sentence and returns its distinct words as numbers. White space must be single spaces. */
export const readFacts = (sentence: string): { facts: Facts; words: readonly number[] } => {
  const facts: Facts = { number: 0, date: 0, decision: 0, name: 0 };
  const words: number[] = [];
  const isUnspaced = UNSPACED.test(sentence);
  const first = MARK.exec(sentence)?.[0].length ?? 0;
  for (let start = 0, space = 0; space >= 0; start = space + 1) {
    space = sentence.indexOf(' ', start);
    const { id, kind } = wordAt(sentence, start, space < 0 ? sentence.length : space);
    if (!words.includes(id)) words.push(id);
    // Every sentence begins with a capital, so its first word does not count as a name.
    if (kind && start >= first && !isUnspaced && (kind !== 'name' || start > first)) facts[kind]++;
  }
  if (isUnspaced) for (const [kind, pattern] of UNSPACED_FACTS) facts[kind] = sentence.match(pattern)?.length ?? 0;
  return { facts, words };
};
