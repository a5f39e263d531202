import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarise } from '../../src/domain/text/extractive-summary.ts';
import { countTokens } from '../../src/domain/text/tokens.ts';

const MEETING = `Had a long and pleasant call this morning, the line was bad at first. We talked about the weather and how everyone was doing
for quite some time. Anna Schmidt from Contoso decided to sign the contract on 14 March 2027. The price is 12,500 EUR per year. There was
some chatter about lunch options and about the new office plants and the colour of the walls. Tom will send the invoice before Friday. After
that people drifted off into small talk again. It was nice to see everyone in such good spirits. The rollout moved to Q3 because legal
needs six weeks. Someone mentioned a film. I liked it.`;

describe('summarise', () => {
  test.each([
    ['', ''],
    [' \n a \t b ', 'a b'],
    ['Call Tom.\n- milk\n- eggs', 'Call Tom. - milk - eggs'],
  ])('short content %j is only tidied', (content, summary) => {
    expect(summarise(content)).toBe(summary);
  });

  test('keeps names, numbers, dates and decisions, in order, and drops the small talk', () => {
    const summary = summarise(MEETING);
    for (const fact of ['Anna Schmidt', '14 March 2027', '12,500 EUR', 'Tom will send', 'Friday', 'moved to Q3']) {
      expect(summary).toContain(fact);
    }
    expect(summary).not.toContain('plants');
    expect(summary.indexOf('Anna')).toBeLessThan(summary.indexOf('Tom'));
  });

  test.each<[string, string, string[], string[]]>([
    [
      'Chinese',
      '今天早上我们开了一个很长的会议，大家先聊了聊天气和周末的安排，气氛很好。会议室里的空调坏了，所以有点热，但是没有人抱怨。随后王芳介绍了第三季度的预算，总额为125万元，比去年增加8%。大家讨论了很久，最后决定在2027年3月14日之前与上海供应商签订合同。李明负责周五之前把报价发给客户。午饭的时候我们去了附近的一家小餐馆，味道不错。下午大家都有点累，聊了一些电影和旅行的话题。',
      ['王芳', '125万元', '决定在2027年3月14日之前', '李明负责周五之前'],
      ['天气', '餐馆', '电影'],
    ],
    [
      'Japanese',
      '今朝は天気がよくて、みんな機嫌がよかったです。会議はいつもの部屋で行われ、最初は雑談から始まりました。コーヒーもおいしかったです。田中さんは、来年度の予算を1,200万円にすることを提案しました。長い議論の後、部長の鈴木さんが4月10日までに契約を結ぶことを決定しました。その後はみんなで昼食を食べに行き、映画の話をしました。',
      ['田中さん', '1,200万円', '鈴木さんが4月10日まで', '決定'],
      ['天気', 'コーヒー', '映画'],
    ],
    [
      'German',
      'Das Gespräch dauerte lange und der Kaffee war gut, wie immer. Wir haben lange über das Wetter und die Ferien gesprochen, und Herr Meier erzählte von seinem Garten. Frau Schulz hat entschieden, dass der Vertrag mit der Nordbau GmbH zum 31. März 2027 gekündigt wird. Das Budget beträgt 85.000 Euro. Herr Vogel schickt bis Freitag ein neues Angebot. Danach ging es noch um den Betriebsausflug und um die Frage, wer den Kuchen mitbringt.',
      ['Frau Schulz hat entschieden', 'Nordbau GmbH', '31. März 2027', '85.000 Euro', 'Herr Vogel', 'Freitag'],
      ['Wetter', 'Kuchen'],
    ],
    [
      'code and stack traces',
      'I looked into the failing nightly build for a while, the logs were long and mostly noise about deprecations.\n```ts\nexport const retry = async (times: number) => {\n  for (let i = 0; i < times; i++) {\n    try { return await call(); } catch (error) { log(error); }\n  }\n};\n```\nThe cause is MAX_RETRIES = 3 in src/net/client.ts line 42: it must be 5 because Stripe answers 503 for up to 8 seconds.\n```\nError: ECONNRESET 10.0.0.7:5432\n    at Socket.onread (node:net:123:45)\n```\nPaula approved the change; it ships with v2.4.1 on Monday. The office was quiet otherwise and I had tea.',
      ['MAX_RETRIES = 3', 'client.ts line 42', 'Stripe answers 503', 'Paula approved', 'v2.4.1 on Monday'],
      ['tea', 'try {'],
    ],
    [
      'a list',
      'Notes of the offsite\n- Weather was great, hotel was fine\n- Decided: move to Postgres 17 before 1 June 2027\n- Snacks: far too many of them as always\n- Owner: Keiko Tanaka, budget 40,000 EUR\n- Somebody forgot the projector again\n- Ravi will draft the migration plan by Friday\n- We played table tennis and laughed a lot\n- The bus was late on the way back and it rained for most of the trip home',
      ['Postgres 17 before 1 June 2027', 'Keiko Tanaka, budget 40,000 EUR', 'Ravi will draft', 'Friday'],
      ['tennis', 'rained'],
    ],
    [
      'long URLs',
      'Some background reading that I found while browsing around: https://www.example.com/articles/2024/01/some-very-long-path/that-goes-on?utm_source=newsletter&id=1234567890abcdef and also https://docs.example.org/guide/getting-started/installation/linux/ubuntu-22.04/index.html#step-3 which were both fairly generic. The vendor, Northwind, raised the price from 900 to 1,150 EUR per month from 1 May. Helen decided to cancel the subscription unless they confirm the old price by 20 April. Other links: https://news.example.net/a/b/c/d/e/f/g/h https://blog.example.net/2023/11/05/thoughts and so on.',
      ['Northwind', '900 to 1,150 EUR', '1 May', 'Helen decided', '20 April'],
      ['utm_source'],
    ],
    [
      'one sentence without end',
      'so we went on and on about the plans for the summer and who would bring what and whether the garden would be warm enough in the evenings and somebody told the story of the lost suitcase again and then it was said that the rent goes up to 1,450 EUR from September and that we have to decide until 30 June whether we stay and after some back and forth we agreed to stay for another year and Piotr will sign the papers on Tuesday and then we talked about the music and the food and the neighbours and the dog next door and it got late and everyone went home tired but happy',
      ['1,450 EUR from September', 'decide until 30 June', 'agreed to stay', 'Piotr will sign the papers on Tuesday'],
      ['suitcase', 'neighbours'],
    ],
    [
      'a sentence denser than the budget',
      'We chatted for a while about nothing in particular and it was nice. Invoice 2027-00417-A of 14/03/2027 over 12,480.55 EUR, customer no. 88-1729-X, VAT DE811569869, IBAN DE89370400440532013000, due 28/03/2027, was rejected by Mr Abiodun Okoye on 15/03/2027 because position 7 (240 x 52.00 EUR) and position 9 (3 x 0.185 EUR) don’t match order 4500012345, revision 3. The weather stayed fine.',
      ['rejected by Mr Abiodun Okoye on 15/03/2027', 'order 4500012345'],
      ['weather'],
    ],
  ])('%s: what was named, counted, dated and decided survives', (_, content, kept, dropped) => {
    const summary = summarise(content);
    expect(countTokens(summary)).toBeLessThanOrEqual(60);
    for (const fact of kept) expect(summary).toContain(fact);
    for (const talk of dropped) expect(summary).not.toContain(talk);
  });

  test('says nothing twice', () => {
    expect(summarise('Tom will pay 12 EUR on Friday.\n'.repeat(500))).toBe('Tom will pay 12 EUR on Friday.');
  });

  test.each([
    ['one endless word', 'x'.repeat(100_000)],
    ['emoji', '😀'.repeat(50_000)],
    ['Chinese', '今天我们决定了预算，下周一开会'.repeat(6_000)],
    ['signs only', '-.'.repeat(40_000)],
    ['dots and a letter', `${'.'.repeat(99_999)}x`],
    ['lines', 'line of a list 12\n'.repeat(5_000)],
  ])('%s: bounded, well-formed, not empty', (_, content) => {
    const summary = summarise(content);
    expect(countTokens(summary)).toBeLessThanOrEqual(60);
    expect(summary.isWellFormed()).toBe(true);
    expect(summary).not.toBe('');
  });

  test('never exceeds the budget and only says what the text says', () => {
    const words = fc.constantFrom(
      'Anna ',
      'decided ',
      '12,500 ',
      'on Friday. ',
      'the ',
      'weather, ',
      '记忆。',
      '😀 ',
      '\n',
      'x'.repeat(80),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 300 }), fc.integer({ min: 0, max: 80 }), (parts, max_tokens) => {
        const content = parts.join('');
        const summary = summarise(content, { max_tokens });
        expect(countTokens(summary)).toBeLessThanOrEqual(max_tokens);
        expect(summary).toBe(summarise(content, { max_tokens }));
        // Runs without a space are cut at 240 characters, so a word may be part of a longer one, but never another.
        for (const word of summary.split(/\s+|(?<=。)/)) expect(content).toContain(word);
      }),
    );
  });
});
