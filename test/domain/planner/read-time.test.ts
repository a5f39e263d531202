import { expect, test } from 'vitest';
import { itemsIn, meant } from './said-time.ts';

test.each([
  ['today', '2026-11-26'],
  ['tmrw', '2026-11-27'],
  ['the day after tomorrow', '2026-11-28'],
  ['Tuesday', '2026-12-01'],
  ['next Tuesday', '2026-12-01'],
  ['this Friday', '2026-11-27'],
  ['a week on Monday', '2026-12-07'],
  ['Monday week', '2026-12-07'],
  ['Friday fortnight', '2026-12-11'],
  ['on the 14th', '2026-12-14'],
  ['the fifth', '2026-12-05'],
  ['December 14th', '2026-12-14'],
  ['14.12.', '2026-12-14'],
  ['14.12.2026', '2026-12-14'],
  ['14/12', '2026-12-14'],
  ['12/5', '2026-12-05'],
  ['2026-12-14', '2026-12-14'],
  ['20261214', '2026-12-14'],
  ['Tue 1 Dec', '2026-12-01'],
  ['Tuesday the 15th', '2026-12-15'],
  ['Sunday the 7th', '2027-02-07'],
  ['31 February', 'fault: there is no 31.2.'],
  ['Tuesday 2 Dec', 'fault: 2 December is a Wednesday, not a Tuesday'],
  ['Christmas Eve', '2026-12-24'],
  ['the second Sunday of Advent', '2026-12-06'],
  ['Shrove Tuesday', '2027-02-09'],
  ['the first Monday of March', '2027-03-01'],
  ['the last Friday in January', '2027-01-29'],
  ['the last working day of the month', '2026-11-30'],
  ['the Friday before Christmas', '2026-12-18'],
  ['thrusday', '2026-12-03'],
])('days: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['next week', '2026-11-30~2026-12-06'],
  ['this weekend', '2026-11-28~2026-11-29'],
  ['next month', '2026-12-01~2026-12-31'],
  ['in December', '2026-12-01~2026-12-31'],
  ['the first week of January', '2027-01-04~2027-01-10'],
  ['calendar week 50', '2026-12-07..2026-12-13'],
  ['w/c 14 Dec', '2026-12-14~2026-12-20'],
  ['early next week', '2026-11-30~2026-12-01'],
  ['Tuesday of next week', '2026-12-01'],
  ['Monday to Wednesday', '2026-11-30..2026-12-02'],
  ['2-4 December', '2026-12-02..2026-12-04'],
  ['between the 7th and the 11th', '2026-12-07..2026-12-11'],
  ['from 10 December to 5 January', '2026-12-10..2027-01-05'],
])('stretches of days: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['Tuesday or Wednesday', '2026-12-01 or 2026-12-02'],
  ['Mon, Wed and Fri', '2026-11-30 2026-12-02 2026-12-04'],
  ['Wednesday 10-12 and Thursday 9-11', '2026-12-02 10:00+120; 2026-12-03 09:00+120'],
  ['Tuesday at 3 or Thursday at 4', '2026-12-01 15:00 or 2026-12-03 16:00'],
  ['in the morning and again in the evening', '07:00<12:00; 17:30<22:00'],
])('several days: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['in two weeks', '2026-12-10'],
  ['in ten days', '2026-12-06'],
  ['in three months', '2027-02-26'],
  ['in 20 minutes', '2026-11-26 10:20'],
  ['in an hour', '2026-11-26 11:00'],
])('from today on: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['the day before', '2026-12-04'],
  ['the following Monday', '2026-12-07'],
  ['same day', '2026-12-05'],
  ['the Sunday after', '2026-12-06'],
  ['Tuesday', '2026-12-08'],
  ['tomorrow', '2026-11-27'],
])('with 5 December spoken of: %s', (words, expected) => {
  expect(meant(words, '2026-12-05')).toBe(expected);
});

test.each([
  ['at 9', '09:00'],
  ['at 8', '08:00'],
  ['at 7', '19:00'],
  ['7:00', '07:00'],
  ['9am', '09:00'],
  ['7 p.m.', '19:00'],
  ['21:30', '21:30'],
  ['half past six', '18:30'],
  ['half five', '17:30'],
  ['quarter to 9', '08:45'],
  ['ten past three', '15:10'],
  ['noon', '12:00'],
  ['midnight', '00:00(1 day)'],
  ['1430', '14:30'],
  ['nineish', '09:00'],
  ['7.30 in the evening', '19:30'],
  ['two at night', '02:00'],
  ['11 at night', '23:00'],
  ['at 4 pm London', '17:00'],
  ['9 am New York', '15:00'],
])('clock times: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['9-11', '09:00+120'],
  ['10-2pm', '10:00+240'],
  ['7-7:50am', '07:00+50'],
  ['7 to 3', '07:00+480'],
  ['from 10 until 12:30', '10:00+150'],
  ['7 till 19:30', '07:00+750'],
  ['22:00-01:00', '22:00+180'],
  ['Fri 6pm to Sun 4pm', '2026-11-27 18:00+2760'],
  ['between 10 and 4', '10:00+360'],
])('from and until: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['Tuesday 9', '2026-12-01 09:00'],
  ['Tuesday 29', '2026-12-29'],
  ['Tuesday at 9', '2026-12-01 09:00'],
  ['Saturday 5.12', '2026-12-05'],
])('a day beside a number: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['in the morning', '07:00<12:00'],
  ['Thursday afternoon', '2026-12-03 13:00<18:00'],
  ['tonight', '2026-11-26 17:30<22:00'],
  ['tomorrow night', '2026-11-27 18:00<23:00'],
  ['all day Friday', '2026-11-27 whole'],
  ['same time', 'same time'],
])('parts of the day: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['before Friday', 'before 2026-11-27'],
  ['by Friday noon', 'by 2026-11-27 12:00'],
  ['not before 10', '10:00<'],
  ['not after 6', '<18:00'],
  ['until the 12th', 'until 2026-12-12'],
  ['after 6', '18:00<'],
  ['from Tuesday onwards', 'from 2026-12-01'],
  ['no later than 8 December', 'by 2026-12-08'],
  ['not on Monday', '!2026-11-30'],
  ['not Tuesdays', 'not every {"unit":"week","weekdays":[2]}'],
  ['any day except Friday', '!2026-11-27'],
  ['only in the morning', '07:00<12:00'],
  ['before the end of the year', 'by 2026-09-02..2026-12-31'],
])('limits: %s', (words, expected) => {
  expect(meant(words)).toBe(expected);
});

test.each([
  ['20 min', 'length {"amount":{"minutes":20}}'],
  ['an hour and a half', 'length {"amount":{"minutes":90}}'],
  ['1.5 h', 'length {"amount":{"minutes":90}}'],
  ['90', 'number {"n":90}'],
  ['two and a half hours', 'length {"amount":{"minutes":150}}'],
  ['half a day', 'length {"amount":{"minutes":240}}'],
  ['three days', 'length {"amount":{"days":3}}'],
  ['a fortnight', 'length {"amount":{"days":14}}'],
  ['1h30', 'length {"amount":{"minutes":90}}'],
  ["45'", 'length {"amount":{"minutes":45}}'],
  ['twice as long', 'factor {"times":2}'],
  ['half of it', 'factor {"times":0.5}'],
  ['15 minutes longer', 'length {"amount":{"minutes":15},"way":"more"}'],
  ['an hour earlier', 'length {"amount":{"minutes":60},"way":"earlier"}'],
  ['a bit later', 'vague {"way":"later"}'],
  ['at most an hour', 'length {"amount":{"minutes":60}}'],
  ['two hours in pieces of 30 minutes', 'length {"amount":{"minutes":120}} · piece {"amount":{"minutes":30}}'],
])('length: %s', (words, expected) => {
  expect(itemsIn(words, 'length')).toBe(expected);
});

test.each([
  ['weekly', 'every {"every":{"unit":"week"}}'],
  ['every Tuesday', 'every {"every":{"unit":"week","weekdays":[2]}}'],
  ['every other Friday', 'every {"every":{"unit":"week","step":2,"weekdays":[5]}}'],
  ['every second week', 'every {"every":{"unit":"week","step":2}}'],
  ['fortnightly', 'every {"every":{"unit":"week","step":2}}'],
  ['every weekday', 'every {"every":{"unit":"week","weekdays":[1,2,3,4,5]}}'],
  ['daily', 'every {"every":{"unit":"day"}}'],
  ['twice a week', 'every {"every":{"unit":"week","times":2}}'],
  ['monthly on the 15th', 'every {"every":{"unit":"month","monthDays":[15]}}'],
  ['on the first Monday of the month', 'every {"every":{"unit":"month","nth":[1],"weekdays":[1]}}'],
  ['the last Friday of every month', 'every {"every":{"unit":"month","nth":[-1],"weekdays":[5]}}'],
  ['every three months', 'every {"every":{"unit":"month","step":3}}'],
  ['yearly in November', 'every {"every":{"unit":"year"}} · days {"days":{"of":"month","month":11}}'],
  ['every two hours', 'every {"every":{"unit":"hour","step":2}}'],
  ['four days on, two off', 'every {"every":{"unit":"day","cycle":[4,2]}}'],
  ['six times', 'count {"times":6}'],
  ['for six weeks', 'length {"amount":{"days":42}}'],
  ['until Christmas', 'bound {"edge":"until","at":{"days":{"of":"holiday","name":"christmas 0"}}}'],
  [
    'every Thursday until the end of January',
    'every {"every":{"unit":"week","weekdays":[4]}} · bound {"edge":"until","at":{"days":{"of":"slice","from":0.67,"to":1,"in":{"of":"month","month":1}}}}',
  ],
  [
    'every day but Sunday',
    'every {"every":{"unit":"day","step":1}} · not {} · days {"days":{"of":"weekday","weekday":7}}',
  ],
  ['until the exam on the 22nd', 'relation {"side":"before"} · days {"days":{"of":"date","day":22}} · name exam'],
])('repeat: %s', (words, expected) => {
  expect(itemsIn(words, 'repeat')).toBe(expected);
});

test.each([
  ['half an hour before the dentist', 'relation {"side":"before","by":{"minutes":30}} · name dentist'],
  ['right after choir', 'relation {"side":"after","isExact":true} · name choir'],
  ['the day before the flight', 'relation {"side":"before","by":{"days":1}} · name flight'],
  [
    'the evening before the exam',
    'relation {"side":"before","by":{"days":1},"part":{"from":1050,"to":1320}} · name exam',
  ],
  ['between the dentist and lunch', 'relation {"side":"between"} · part {"part":{"from":690,"to":840}} · name dentist'],
  ['during the concert', 'relation {"side":"during"} · name concert'],
  ['if it rains', 'condition {}'],
  ['blue moon', 'unread blue · unread moon'],
])('relation: %s', (words, expected) => {
  expect(itemsIn(words, 'time')).toBe(expected);
});
