/** Roles and bounds of stretches that their own words, or the calendar, contradict. */
import { expect, test } from 'vitest';
import { act } from '../../../src/domain/planner/act/act.ts';
import { effectOf, KNOWN } from '../../bench/act-effects.ts';
import { annotated } from '../../support/annotated.ts';

/** Said on Thursday, 26 November 2026, at 10:00. */
const understood = (line: string): string[] =>
  act(annotated(line), KNOWN).map((one) => JSON.stringify({ ...effectOf(one), notes: undefined }));

test.each([
  [
    '[title:Handover ward] [when:4, Dec 1, 2:30pm], [extra:it takes 20 minutes]',
    ['{"do":"create","title":"Handover ward 4","date":"2026-12-01","at":"14:30","minutes":20}'],
  ],
  [
    '[title:walk the dog] [repeat:weekdays] [when:at 13:45] [repeat:until December] [when:4]',
    [
      '{"do":"create","title":"walk the dog","date":"2026-11-26","at":"13:45","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","until":"2026-12-04"}',
    ],
  ],
  [
    '[aside:Three things for Friday]: [title:bakery] [when:at 7:30 am][join:,] [title:accountant] [when:at 1pm]',
    [
      '{"do":"create","title":"bakery","date":"2026-11-27","at":"07:30"}',
      '{"do":"create","title":"accountant","date":"2026-11-27","at":"13:00"}',
    ],
  ],
  [
    '[when:Friday]: [when:8am] [title:standup notes], [when:2pm] [title:call Ravi], [extra:5pm groceries]',
    [
      '{"do":"create","title":"standup notes","date":"2026-11-27","at":"08:00"}',
      '{"do":"create","title":"call Ravi","date":"2026-11-27","at":"14:00"}',
      '{"do":"create","title":"groceries","date":"2026-11-27","at":"17:00"}',
    ],
  ],
  [
    '[title:easy] [dur:40 minute] [when:jog at lunchtime on Friday]',
    ['{"do":"create","title":"easy jog","date":"2026-11-27","at":{"after":"11:30","before":"13:20"},"minutes":40}'],
  ],
  [
    '[create:Put] [title:the bins out] [when:on Sunday at 8pm]',
    ['{"do":"create","title":"Put the bins out","date":"2026-11-29","at":"20:00"}'],
  ],
  [
    '[create:Write] [title:the quote] [when:tomorrow at 9]',
    ['{"do":"create","title":"Write the quote","date":"2026-11-27","at":"09:00"}'],
  ],
  [
    "[title:Sunday roast at Nan's], [when:1 o'clock]",
    ['{"do":"create","title":"Sunday roast at Nan\'s","date":"2026-11-29","at":"13:00"}'],
  ],
])('a stretch is what its words say: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[move:change] [target:the bed sheets] [old:on Saturday at 9]',
    ['{"do":"create","title":"change the bed sheets","date":"2026-11-28","at":"09:00"}'],
  ],
  ['[move:Move] [target:the unicorn] to [when:Saturday at 9]', ['{"do":"ask"}']],
  [
    '[title:Team lunch] [when:at 1] [limit:rather than 12]',
    ['{"do":"move","event":"Team lunch","date":"2026-11-27","at":"13:00"}'],
  ],
  [
    '[title:Team lunch] to [when:Monday, same time]',
    ['{"do":"move","event":"Team lunch","date":"2026-11-30","at":"12:00"}'],
  ],
  ["[limit:if it doesn't rain][join:,] [title:barbecue] [when:on Saturday at 5]", ['{"do":"ask"}']],
])('the calendar says what is meant: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});
