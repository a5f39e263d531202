import { setOf } from './tables.ts';

/** What a span of time is made of in the end, and how gladly each is read; the lowest sum of a span is its reading. */
export const TOP = `
top.days <- {days} -> daysItem
top.wholedays <- {wholedays}
top.clock <- {clock} -> clockItem
top.clocksaid <- {clocksaid} -> clockItem
top.hours <- {hours} -> hoursItem
top.part <- {partname} -> partItem
top.part <- {part} -> partItem
top.half <- {halfday} -> partItem
top.domclock <- {daymoment}
top.night <- {night}
top.stretch <- {stretch}
top.bound <- {bound}
top.zone <- {zoneonly} -> zoneItem
top.length <- {length}
top.lasting <- {lasting}
top.number <- {number}
top.factor <- {factor}
top.vague <- {vague}
top.ahead <- {ahead}
top.apart <- {apart}
top.piece <- {piece}
top.rate <- {rate}
top.spread <- {spread}
top.every <- {every}
top.count <- {count}
top.same <- {same} -> sameItem
top.whole <- {whole}
top.except <- {except}
top.not <- {not} -> notItem
top.or <- or | else | otherwise | failing that | or else | if not -> orItem
top.relation <- {relation}
top.nearby <- {nearby}
top.condition <- {condition} -> conditionItem
`;

/** Marks and words behind which another thing of the same kind is expected. */
export const JOINTS = setOf(', ; / & + · and plus or =');

/** By the kind of a span: what it is likely to be. A missing one costs 1. */
export const COSTS: Readonly<Record<'time' | 'length' | 'repeat', Readonly<Record<string, number>>>> = {
  time: {
    clock: 1.1,
    bound: 1.35,
    length: 2.3,
    lasting: 2,
    half: 1.6,
    domclock: 1.7,
    nearby: 4,
    hours: 1.05,
    clocksaid: 1,
    number: 4,
    whole: 0.9,
    wholedays: 0.95,
    vague: 1.8,
    factor: 2,
    every: 1.4,
    count: 2.4,
    relation: 1.5,
    zone: 1.2,
    condition: 3,
    not: 0.6,
    or: 0.2,
    same: 0.8,
    rate: 1.4,
  },
  length: {
    lasting: 0.9,
    nearby: 5,
    clock: 5,
    days: 3,
    part: 2,
    hours: 3,
    number: 1.5,
    every: 3,
    ahead: 1.6,
    relation: 4,
    condition: 6,
    bound: 2,
    or: 0.6,
    not: 1,
    vague: 1.4,
  },
  repeat: {
    clock: 1.4,
    every: 0.6,
    days: 1.3,
    lasting: 0.5,
    length: 1.3,
    count: 1.1,
    number: 4,
    relation: 2,
    nearby: 4,
    condition: 6,
    bound: 0.6,
    not: 0.6,
    or: 0.4,
    rate: 2.5,
  },
};
