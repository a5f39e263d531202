import { expect, test } from 'vitest';
import { act } from '../../../src/domain/planner/act/act.ts';
import { effectOf, KNOWN } from '../../bench/act-effects.ts';
import { annotated } from '../../support/annotated.ts';

/** What an annotated request is understood as, one action after another, said on Thursday, 26 November 2026, at 10:00. */
const understood = (line: string): string[] => act(annotated(line), KNOWN).map((one) => JSON.stringify(effectOf(one)));

test.each([
  [
    '[create:Book] [title:the dentist] [when:Tuesday at 9] [dur:for half an hour]',
    ['{"do":"create","title":"the dentist","date":"2026-12-01","at":"09:00","minutes":30}'],
  ],
  [
    '[title:Lunch with Mo] [when:tomorrow 12-1] [place:at the Italian]',
    ['{"do":"create","title":"Lunch with Mo","date":"2026-11-27","at":"12:00","minutes":60,"place":"at the Italian"}'],
  ],
  [
    '[create:plan] [dur:two hours] for [title:the tax return] [limit:before Friday] [limit:not on Monday]',
    ['{"do":"create","title":"the tax return","date":"2026-11-26","minutes":120}'],
  ],
  ['[title:Conference] [when:7-9 December]', ['{"do":"create","title":"Conference","date":"2026-12-07","days":3}']],
  [
    '[title:Coffee with Liv] [when:Tuesday or Wednesday at 4]',
    ['{"do":"create","title":"Coffee with Liv","date":"2026-12-01","at":"16:00"}'],
  ],
  [
    '[title:Call mum] [rel:after choir] [when:on Sunday]',
    ['{"do":"create","title":"Call mum","date":"2026-11-29","at":"21:00"}'],
  ],
  [
    '[title:Choir dinner] [when:Monday at 6] [join:and] [title:tea] [rel:right after it] [dur:for an hour]',
    [
      '{"do":"create","title":"Choir dinner","date":"2026-11-30","at":"18:00"}',
      '{"do":"create","title":"tea","date":"2026-11-30","at":"19:00","minutes":60}',
    ],
  ],
  [
    '[title:Friday drinks], [when:Friday at 2], [when:until 4]',
    ['{"do":"create","title":"Friday drinks","date":"2026-11-27","at":"14:00","minutes":120}'],
  ],
])('create: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[title:Swimming] [repeat:every Tuesday] [when:at 7] [repeat:until Christmas] [except:not on the 15th]',
    [
      '{"do":"create","title":"Swimming","date":"2026-12-01","at":"19:00","repeat":"FREQ=WEEKLY;BYDAY=TU","until":"2026-12-25","except":["2026-12-15"]}',
    ],
  ],
  [
    '[title:Run] [repeat:Mon, Wed and Fri] [when:6:30] [dur:40 min]',
    [
      '{"do":"create","title":"Run","date":"2026-11-27","at":"06:30","minutes":40,"repeat":"FREQ=WEEKLY;BYDAY=MO,WE,FR"}',
    ],
  ],
  [
    '[title:Revise maths] [count:six times] [when:over the next two weeks], [dur:45 min each]',
    ['{"do":"create","title":"Revise maths","date":{"from":"2026-11-26","to":"2026-12-10"},"minutes":45,"times":6}'],
  ],
  [
    '[title:late shift] [repeat:Mon-Wed] [when:next week] [when:14-22]',
    [
      '{"do":"create","title":"late shift","date":"2026-11-30","at":"14:00","minutes":480}',
      '{"do":"create","title":"late shift","date":"2026-12-01","at":"14:00","minutes":480}',
      '{"do":"create","title":"late shift","date":"2026-12-02","at":"14:00","minutes":480}',
    ],
  ],
  [
    '[title:pills] [repeat:every day] [when:at 8] [repeat:for two weeks]',
    ['{"do":"create","title":"pills","date":"2026-11-27","at":"08:00","repeat":"FREQ=DAILY","until":"2026-12-10"}'],
  ],
])('create again and again: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  ['[title:Car to the garage] [when:31 February at 9]', ['{"do":"ask"}']],
  ['[move:Move] [target:the unicorn] [when:to Friday]', ['{"do":"ask"}']],
  ['[create:Book]', ['{"do":"ask"}']],
  ['[when:Friday at 4]', ['{"do":"ask"}']],
  ['[cancel:cancel] [target:it]', ['{"do":"ask"}']],
])('ask instead of a guess: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[remind:Remind me] to [title:pack] [rel:the evening before the flight]',
    ['{"do":"remind","title":"pack","date":"2026-12-09","at":{"after":"17:30","before":"22:00"}}'],
  ],
  [
    '[remind:remind me] [when:in 20 minutes] to [title:take the cake out]',
    ['{"do":"remind","title":"take the cake out","date":"2026-11-26","at":"10:20"}'],
  ],
  [
    '[title:Exam] [when:on the 14th at 9], [remind:remind me] [rel:two days before]',
    [
      '{"do":"create","title":"Exam","date":"2026-12-14","at":"09:00"}',
      '{"do":"remind","title":"Exam","date":"2026-12-12"}',
    ],
  ],
])('remind: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[find:Find a slot] for [title:a walk with Jo] [when:next week] [limit:in the afternoon] [dur:90 minutes]',
    [
      '{"do":"find","title":"a walk with Jo","date":{"from":"2026-11-30","to":"2026-12-04"},"at":{"after":"13:00","before":"16:30"},"minutes":90}',
    ],
  ],
])('find: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[move:Move] [target:the dentist] [when:to Thursday at 10]',
    ['{"do":"move","event":"Dentist","date":"2026-12-03","at":"10:00"}'],
  ],
  [
    '[move:push] [target:physio] [shift:back by 30 minutes]',
    ['{"do":"move","event":"Physio","date":"2026-11-30","at":"09:00"}'],
  ],
  [
    '[move:Move] [target:board prep] [when:to 3]',
    ['{"do":"move","event":"Board prep","date":"2026-12-02","at":"15:00"}'],
  ],
  [
    '[move:Move] [target:guitar] [repeat:from now on to Wednesdays at 6]',
    ['{"do":"move","event":"Guitar lesson","date":"2026-12-02","at":"18:00","repeat":"FREQ=WEEKLY;BYDAY=WE"}'],
  ],
  [
    '[setting:From now on guitar starts at six]',
    ['{"do":"move","event":"Guitar lesson","date":"2026-11-26","at":"18:00"}'],
  ],
  [
    '[move:swap] [target:physio and the plumber]',
    [
      '{"do":"move","event":"Physio","date":"2026-11-27","at":"08:00"}',
      '{"do":"move","event":"Plumber","date":"2026-11-30","at":"08:30"}',
    ],
  ],
  [
    '[move:move] [target:everything] [old:tomorrow] [shift:an hour later]',
    [
      '{"do":"move","event":"Plumber","date":"2026-11-27","at":"09:00"}',
      '{"do":"move","event":"Statistics tutorial","date":"2026-11-27","at":"11:15"}',
      '{"do":"move","event":"Team lunch","date":"2026-11-27","at":"13:00"}',
    ],
  ],
  [
    '[move:bring] [target:choir] [old:this Sunday] [shift:forward an hour]',
    ['{"do":"move","event":"Choir rehearsal","date":"2026-11-29","at":"18:00"}'],
  ],
  [
    '[move:Move] [target:the tax call] [rel:right after board prep]',
    ['{"do":"move","event":"Call with the tax advisor","date":"2026-12-02","at":"15:30"}'],
  ],
])('move: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[cancel:Cancel] [target:choir] [old:this Sunday]',
    ['{"do":"cancel","event":"Choir rehearsal","date":"2026-11-29"}'],
  ],
  [
    '[cancel:clear] [old:tomorrow]',
    [
      '{"do":"cancel","event":"Plumber","date":"2026-11-27"}',
      '{"do":"cancel","event":"Statistics tutorial","date":"2026-11-27"}',
      '{"do":"cancel","event":"Team lunch","date":"2026-11-27"}',
    ],
  ],
  [
    '[cancel:cancel] [target:all guitar lessons] [old:in December]',
    [
      '{"do":"cancel","event":"Guitar lesson","date":"2026-12-03"}',
      '{"do":"cancel","event":"Guitar lesson","date":"2026-12-10"}',
      '{"do":"cancel","event":"Guitar lesson","date":"2026-12-17"}',
      '{"do":"cancel","event":"Guitar lesson","date":"2026-12-24"}',
      '{"do":"cancel","event":"Guitar lesson","date":"2026-12-31"}',
    ],
  ],
  [
    '[cancel:Cancel] [target:everything] [old:tomorrow] [except:but the plumber]',
    [
      '{"do":"cancel","event":"Statistics tutorial","date":"2026-11-27"}',
      '{"do":"cancel","event":"Team lunch","date":"2026-11-27"}',
    ],
  ],
])('cancel: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[resize:Make] [target:the team lunch] [dur:90 minutes]',
    ['{"do":"resize","event":"Team lunch","date":"2026-11-27","minutes":90,"until":"13:30"}'],
  ],
  [
    '[resize:shorten] [target:board prep] [shift:by half an hour]',
    ['{"do":"resize","event":"Board prep","date":"2026-12-02","minutes":60,"until":"15:00"}'],
  ],
  [
    '[target:Physio] [resize:ends] [when:at 9:15]',
    ['{"do":"resize","event":"Physio","date":"2026-11-30","minutes":45,"until":"09:15"}'],
  ],
])('resize: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  [
    '[change:Rename] [target:the plumber] to [title:boiler man]',
    ['{"do":"change","title":"boiler man","event":"Plumber","date":"2026-11-27"}'],
  ],
  [
    '[target:Team lunch] [change:is at] [place:Luigi’s]',
    ['{"do":"change","place":"Luigi’s","event":"Team lunch","date":"2026-11-27"}'],
  ],
])('change: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  ['[note:Note]: [title:the code is 4711]', ['{"do":"note","text":"the code is 4711"}']],
  ['[reflect:Went badly today, I was tired]', ['{"do":"reflect","text":"Went badly today, I was tired"}']],
  ['[setting:No work after 6]', ['{"do":"setting","text":"No work after 6"}']],
  ['[ask:When is the dentist?]', ['{"do":"answer","text":"When is the dentist?"}']],
])('note, reflection, setting and question: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});

test.each([
  ['[create:Book] [title:yoga] [when:Friday at 6]. [undo:No, forget it]', ['{"do":"nothing"}']],
  ['[refuse:don’t plan anything]', ['{"do":"nothing"}']],
  ['hello', ['{"do":"nothing"}']],
])('nothing: %s', (line, expected) => {
  expect(understood(line)).toEqual(expected);
});
