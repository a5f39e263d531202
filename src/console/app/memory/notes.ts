/** How a person changes a note. Each change can be undone, and done again after that, unless the note was changed meanwhile. */
import type { Trace } from '../../../client/almanac-client.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say, sayUndone } from '../state/messages.ts';
import { Refusal } from '../state/sentence.ts';
import { client } from '../state/service.ts';
import { cut } from '../ui/words.ts';

export const WRITTEN = ['content', 'tags', 'task_id', 'notes'] as const;
export type Written = Pick<Trace, (typeof WRITTEN)[number]>;

const MOST_OF_NOTE = 60;
/** By its first words. */
const named = ({ content }: Written): string =>
  `the note “${cut(content.trim().split('\n')[0] as string, MOST_OF_NOTE)}”`;

const writtenOf = (one: Written): Written => ({
  content: one.content,
  tags: one.tags,
  task_id: one.task_id,
  notes: one.notes,
});

/** A version with the same text as an earlier one: what is undone next was written at the earlier one. */
const again = new Map<string, number>();
const versionNow = (uid: string, version: number): number => {
  const later = again.get(`${uid} ${version}`);
  return later === undefined ? version : versionNow(uid, later);
};

/** The newest version of each note that this page has written. */
const written = new Map<string, number>();
/** What is undone, or done again, changes nothing that the person wrote later. */
const refuseOld = ({ uid, version }: Pick<Change, 'uid' | 'version'>): void => {
  if ((written.get(uid) ?? 0) > versionNow(uid, version))
    throw new Refusal('You have changed this note since then. Undo the later change first.');
};

type Change = {
  uid: string;
  /** The version that is changed. */
  version: number;
  /** The earlier version that says the same as the new one will. */
  like?: number;
  /** What the note says then, and before; undefined where it is removed. */
  to: Written | undefined;
  from: Written | undefined;
  /** What is said of it, and of going back. */
  said: string;
  saidBack: string;
};

const write = async (change: Change, isBack = false): Promise<void> => {
  const { uid, like, to, from, said, saidBack } = change;
  const version = versionNow(uid, change.version);
  const ifMatch = { ifMatch: version };
  const work = to
    ? client.memory.edit({ uid, updates: writtenOf(to) }, ifMatch)
    : client.memory.remove({ uid }, ifMatch);
  await work.finally(touchAll);
  written.set(uid, version + 1);
  if (like !== undefined) again.set(`${uid} ${like}`, version + 1);
  const back = { uid, version: version + 1, like: version, to: from, from: to, said: saidBack, saidBack: said };
  const goBack = async (): Promise<void> => {
    refuseOld(back);
    await write(back, !isBack);
  };
  if (isBack) sayUndone(said, goBack);
  else say(said, goBack);
};

/** @returns the uid of the new note; undefined where it was not saved */
export const addNote = async (given: Written): Promise<string | undefined> => {
  let uid: string | undefined;
  await attempt(async () => {
    const [made] = await client.memory.push({ traces: [{ type: 'observation', ...given }] });
    touchAll();
    if (!made) return;
    ({ uid } = made);
    const said = 'The note is saved.';
    const removal = { uid, version: made.version, to: undefined, from: given, saidBack: said };
    say(said, async () => {
      refuseOld(removal);
      await write({ ...removal, said: `Taken back: ${named(given)} is removed.` }, true);
    });
  });
  return uid;
};

export const changeNote = (trace: Trace, updates: Partial<Written>): Promise<boolean> =>
  attempt(() => {
    const { uid, version } = trace;
    const { removed } = trace;
    const from = removed ? undefined : trace;
    const said = removed ? 'The note is saved, and is in memory again.' : 'The note is saved as a new version.';
    const saidBack = `Taken back: ${named(trace)} ${removed ? 'is removed again' : 'has its earlier text again'}.`;
    return write({ uid, version, to: { ...writtenOf(trace), ...updates }, from, said, saidBack });
  });

export const removeNote = (trace: Trace): Promise<boolean> =>
  attempt(() => {
    const { uid, version } = trace;
    const saidBack = `Taken back: ${named(trace)} is in memory again.`;
    return write({ uid, version, to: undefined, from: trace, said: 'The note is removed.', saidBack });
  });

/** Makes an earlier version the newest again, as a new version, also where the note was removed. */
export const restoreNote = (latest: Trace, earlier: { version: number; trace: Trace }): Promise<boolean> =>
  attempt(() => {
    const { uid, version, removed } = latest;
    const from = removed ? undefined : latest;
    const saidBack = `Taken back: ${named(latest)} is ${removed ? 'removed again' : 'as it was before you restored a version'}.`;
    return write({ uid, version, to: earlier.trace, from, said: `Restored: version ${earlier.version}`, saidBack });
  });
