import { expect, test } from 'vitest';
import { standing } from '../../bench/act-dialogues.ts';
import { annotated } from '../../support/annotated.ts';

/** What stands proposed after annotated turns, said on Thursday, 26 November 2026, at 10:00. */
const after = (...turns: string[]): string[] => standing(turns.map(annotated)).map((one) => JSON.stringify(one));

test.each([
  [
    'what is missing is added',
    ['[create:book] [title:squash with Jonas]', '[when:tuesday]', '[when:6pm], [place:court 3]'],
    ['{"do":"create","title":"squash with Jonas","date":"2026-12-01","at":"18:00","place":"court 3"}'],
  ],
  [
    'a day replaces the day, an hour the hour',
    ['[title:yoga] [when:tomorrow at 3]', '[when:Monday]', '[when:at 4]'],
    ['{"do":"create","title":"yoga","date":"2026-11-30","at":"16:00"}'],
  ],
  [
    'a shift and a length change what waits',
    [
      '[title:kick-off] [when:Monday at 3 pm] [dur:for an hour]',
      '[dur:half an hour more]',
      '[shift:half an hour earlier]',
    ],
    ['{"do":"create","title":"kick-off","date":"2026-11-30","at":"14:30","minutes":90}'],
  ],
  [
    'a limit narrows the stretch',
    ['[find:find me] [dur:two hours] for the [title:report] [when:next week]', '[limit:only mornings]'],
    [
      '{"do":"find","title":"report","date":{"from":"2026-11-30","to":"2026-12-04"},"at":{"after":"07:00","before":"10:00"},"minutes":120}',
    ],
  ],
  [
    'a rule replaces a rule, and an end is added',
    ['[title:course] [repeat:Mondays] [when:17:45-19:15]', "it's [repeat:Tuesdays]", '[repeat:until Christmas]'],
    [
      '{"do":"create","title":"course","date":"2026-12-01","at":"17:45","minutes":90,"repeat":"FREQ=WEEKLY;BYDAY=TU","until":"2026-12-25"}',
    ],
  ],
  [
    'a better name replaces the one like it',
    ['[title:dinner with Clara] [when:Thursday the 3rd, 8 pm]', "it's [title:Carla], not Clara"],
    ['{"do":"create","title":"dinner with Carla","date":"2026-12-03","at":"20:00"}'],
  ],
  [
    'what is taken back is not proposed',
    ['[title:wine tasting] [when:friday evening]', '[undo:forget it], [aside:nobody has time]'],
    ['{"do":"nothing"}'],
  ],
  [
    'one of several is taken back',
    ['[title:gym] [when:monday, wednesday and friday next week at 7am]', '[cancel:drop] [old:wednesday]'],
    [
      '{"do":"create","title":"gym","date":"2026-11-30","at":"07:00"}',
      '{"do":"create","title":"gym","date":"2026-12-04","at":"07:00"}',
    ],
  ],
  [
    'a further one is added',
    ['[title:deep work] [when:tomorrow 13:00 to 15:00]', 'also on [when:Monday, same time]'],
    [
      '{"do":"create","title":"deep work","date":"2026-11-27","at":"13:00","minutes":120}',
      '{"do":"create","title":"deep work","date":"2026-11-30","at":"13:00","minutes":120}',
    ],
  ],
  [
    'another thing is another proposal, and may be related to the first',
    ['[title:meeting] [when:Saturday 9:30 to 11]', '[create:add] [dur:25 minutes] [title:travel] [rel:before it]'],
    [
      '{"do":"create","title":"meeting","date":"2026-11-28","at":"09:30","minutes":90}',
      '{"do":"create","title":"travel","date":"2026-11-28","at":"09:05","minutes":25}',
    ],
  ],
  [
    'an answer says which event is meant',
    ['[cancel:cancel] [target:the lunch]', '[target:the one with the team]'],
    ['{"do":"cancel","event":"Team lunch","date":"2026-11-27"}'],
  ],
  [
    'a question changes nothing that waits',
    ['[title:massage] [when:tuesday at five]', '[ask:what else do I have] [when:that day]?', '[agree:fine, keep it]'],
    ['{"do":"create","title":"massage","date":"2026-12-01","at":"17:00"}'],
  ],
  [
    'a note in between is no part of what waits',
    ['[title:lunch] [when:next week]', '[note:note that] [title:she is vegetarian]', '[when:Tuesday 12:30]'],
    ['{"do":"create","title":"lunch","date":"2026-12-01","at":"12:30"}', '{"do":"note","text":"she is vegetarian"}'],
  ],
  [
    'what was asked about is meant by it',
    ['[ask:when is] [target:the team lunch]?', '[move:move] [target:it] to [when:1 pm]'],
    ['{"do":"move","event":"Team lunch","date":"2026-11-27","at":"13:00"}'],
  ],
  [
    'the same again on another day',
    ['[title:gym] [when:tomorrow at 18:00] [dur:for 45 minutes]', 'and [target:the same] [old:on Monday]'],
    [
      '{"do":"create","title":"gym","date":"2026-11-27","at":"18:00","minutes":45}',
      '{"do":"create","title":"gym","date":"2026-11-30","at":"18:00","minutes":45}',
    ],
  ],
  [
    'what was to be cancelled is moved instead',
    ['[cancel:cancel] [target:the team lunch]', '[void:no wait], [move:move] [target:it] to [when:Monday at noon]'],
    ['{"do":"move","event":"Team lunch","date":"2026-11-30","at":"12:00"}'],
  ],
  [
    'somebody else comes too',
    ['[title:lunch with Lisa] [when:on Monday at 1]', '[title:with Tom] too'],
    ['{"do":"create","title":"lunch with Lisa and Tom","date":"2026-11-30","at":"13:00"}'],
  ],
  [
    'a time in what is told replaces the one before',
    ['[title:tea with Dorothy] [when:on Monday at three]', '[aside:sorry, I meant Tuesday]'],
    ['{"do":"create","title":"tea with Dorothy","date":"2026-12-01","at":"15:00"}'],
  ],
])('%s', (_, turns, expected) => {
  expect(after(...turns)).toEqual(expected);
});
