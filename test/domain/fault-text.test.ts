/** What the fault of an invalid value says (src/common/fault-text.ts). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parse } from '../../src/common/fault-text.ts';
import { faultsOf } from '../../src/common/problem.ts';
import { dictionary, list } from '../../src/domain/record/bounded-collections.ts';

const Body = z.strictObject({
  uid: z.string().min(1).max(255),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  order: z.enum(['asc', 'desc']).optional(),
  mail: z.email().optional(),
  step: z.int().min(0).optional(),
  share: z.number().gt(0).optional(),
  tags: list(z.string().max(5), 3).optional(),
  either: z.union([z.string(), z.strictObject({ uid: z.string() })]).optional(),
  names: dictionary(z.string().max(3), z.strictObject({ scheduled_for: z.string() }), 5).optional(),
  whole: z.string().transform(String).pipe(z.string().max(2)).optional(),
});

const texts = (value: unknown, kind?: 'field' | 'parameter'): string[] => {
  const { error } = parse(Body, value, kind);
  return error ? faultsOf(error).map(({ path, message }) => `${path} ${message}`) : [];
};

describe('the text of a fault', () => {
  const cases: [given: object, text: string][] = [
    [{ uid: undefined }, '/uid is required'],
    [{ uid: 3 }, '/uid must be a string'],
    [{ uid: '' }, '/uid must have between 1 and 255 characters'],
    [{ limit: '0' }, '/limit must be between 1 and 1000'],
    [{ limit: '1001' }, '/limit must be between 1 and 1000'],
    [{ limit: 'many' }, '/limit must be a number'],
    [{ limit: '1.5' }, '/limit must be an integer'],
    [{ order: 'descc' }, '/order must be one of asc, desc; did you mean `desc`?'],
    [{ order: 1 }, '/order must be one of asc, desc'],
    [{ mail: 'a' }, '/mail must be an e-mail address'],
    [{ step: -1 }, '/step must be at least 0'],
    [{ share: 0 }, '/share must be more than 0'],
    [{ tags: 'a' }, '/tags must be an array'],
    [{ tags: ['a', 'b', 'c', 'd'] }, '/tags must have at most 3 items'],
    [{ tags: ['abcdef'] }, '/tags/0 must have at most 5 characters'],
    [{ either: 4 }, '/either must be a string or must be an object'],
    [{ tag: [] }, '/tag unknown field; did you mean `tags`?'],
    [{ Limits: 1 }, '/Limits unknown field; did you mean `limit`?'],
    [{ colour: 1 }, '/colour unknown field'],
    [{ ['x'.repeat(5000)]: 1 }, `/${'x'.repeat(5000)} unknown field`],
    [{ names: { a: { scheduled_four: '' } } }, '/names/a/scheduled_for is required'],
    [
      { names: { a: { scheduledFor: '', scheduled_for: '' } } },
      '/names/a/scheduledFor unknown field; did you mean `scheduled_for`?',
    ],
    [{ names: { abcd: { scheduled_for: '' } } }, '/names/abcd is not a usable name: it must have at most 3 characters'],
  ];
  it.each(cases)('of %j is: %s', (given, text) => {
    expect(texts({ uid: 'a', ...given })).toContain(text);
  });

  it('names each unknown name at its path', () => {
    expect(texts({ uid: 'a', tag: 1, limitt: 1 }, 'parameter')).toEqual([
      '/tag unknown parameter; did you mean `tags`?',
      '/limitt unknown parameter; did you mean `limit`?',
    ]);
  });
});
