/**
 * Wakes whoever waits for a user's ledger to grow. Commits of this process wake at once; those of other instances by one
 * coalesced NOTIFY outside of write transactions, and by polling beneath, so that a lost notification costs half a second.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DatabaseHandle } from '../db/database.ts';
import type { Logger } from '../observability/log.ts';

const CHANNEL = 'almanac_ledger';
/** Commits within this long share one NOTIFY (in a write transaction it would cost two thirds of the throughput). */
const GATHER_MS = 20;
/** Postgres takes less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** Half of the second within which a revoked credential has lost its sockets, also when notifications don't come. */
const BEAT_MS = 500;

type Watched = { seq: number; wakes: Set<() => void> };

export type HubDeps = { handle: DatabaseHandle; log: Logger };

/** `instance user=seq,user=seq,...`, as many messages as the limit asks for. */
export const packWakeUps = (instance: string, heads: Iterable<[string, number]>): string[] => {
  const messages: string[] = [];
  let current = '';
  for (const [user_id, seq] of heads) {
    const item = `${user_id}=${seq}`;
    if (current && instance.length + 2 + current.length + item.length > MAX_PAYLOAD_BYTES) {
      messages.push(`${instance} ${current}`);
      current = '';
    }
    current = current ? `${current},${item}` : item;
  }
  return current ? [...messages, `${instance} ${current}`] : messages;
};

export const createHub = ({ handle, log }: HubDeps) => {
  const { db } = handle;
  const instance = randomUUID();
  const watched = new Map<string, Watched>();
  const beats = new Set<() => Promise<void>>();
  /** Heads not yet told to the other instances. */
  let untold = new Map<string, number>();
  let telling: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let listening: Promise<() => Promise<void>> | undefined;
  let stopped = false;

  /** Announces a head; what is known already wakes nobody. */
  const announce = (user_id: string, seq: number): void => {
    const found = watched.get(user_id);
    if (!found || seq <= found.seq) return;
    found.seq = seq;
    for (const wake of found.wakes) wake();
  };

  const tell = async (): Promise<void> => {
    telling = undefined;
    const heads = untold;
    untold = new Map();
    try {
      for (const message of packWakeUps(instance, heads)) await handle.notify(CHANNEL, message);
    } catch (error) {
      log.debug({ err: error }, 'other instances were not woken; they poll'); // nothing is lost
    }
  };

  const hear = (message: string): void => {
    const [from, list = ''] = message.split(' ');
    if (from === instance) return;
    for (const item of list.split(',')) {
      const cut = item.lastIndexOf('=');
      announce(item.slice(0, cut), Number(item.slice(cut + 1)));
    }
  };

  /** Rides on ledger_heads_pkey: one query for all users watched here. */
  const poll = async (): Promise<void> => {
    if (!watched.size) return;
    const before = new Map([...watched].map(([user_id, { seq }]) => [user_id, seq]));
    const heads = await db
      .selectFrom('ledger_heads')
      .select(['user_id', 'seq'])
      .where('user_id', '=', sql<string>`any(${[...watched.keys()]})`)
      .execute();
    for (const { user_id, seq } of heads) {
      const found = watched.get(user_id);
      // Shorter than it was when this was asked: another database is there now, and its readers have to look.
      if (found && seq < (before.get(user_id) ?? 0)) found.seq = -1;
      announce(user_id, seq);
    }
    // An erased account has no head any more, and one entry after the last that was heard of.
    const living = new Set(heads.map((head) => head.user_id));
    for (const user_id of watched.keys()) if (!living.has(user_id)) announce(user_id, Number.MAX_SAFE_INTEGER);
  };

  /** Beats follow each other, never overlap. */
  const beat = async (): Promise<void> => {
    for (const work of [poll, ...beats])
      await work().catch((error: unknown) =>
        log.debug({ err: error }, 'a beat of the live connections failed; the next one follows'),
      );
    if (!stopped && watched.size) beating = setTimeout(() => void beat(), BEAT_MS).unref();
    else beating = undefined;
  };

  return {
    /** For createLedger: called after each commit. */
    committed: (user_id: string, seq: number): void => {
      announce(user_id, seq);
      if (handle.kind === 'embedded' || stopped) return; // nobody else is there
      untold.set(user_id, Math.max(seq, untold.get(user_id) ?? 0));
      telling ??= setTimeout(() => void tell(), GATHER_MS).unref();
    },

    /** The newest seq heard of, 0 before the first; grows only. A read begun after this was answered sees that far. */
    known: (user_id: string): number => watched.get(user_id)?.seq ?? 0,

    /**
     * Calls `wake` whenever the user's ledger has grown, in this process or elsewhere; may be more often than needed.
     * @returns the way to stop that.
     */
    watch: (user_id: string, wake: () => void): (() => void) => {
      listening ??= handle.listen(CHANNEL, hear);
      const found = watched.get(user_id) ?? { seq: 0, wakes: new Set() };
      watched.set(user_id, found);
      found.wakes.add(wake);
      beating ??= setTimeout(() => void beat(), BEAT_MS).unref();
      return () => {
        found.wakes.delete(wake);
        if (!found.wakes.size && watched.get(user_id) === found) watched.delete(user_id);
      };
    },

    /** Work to do with every beat while anybody is watched. */
    onBeat: (work: () => Promise<void>): void => void beats.add(work),

    /** Wakes everybody a last time and goes quiet. */
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(beating);
      if (telling) {
        clearTimeout(telling);
        await tell();
      }
      for (const { wakes } of watched.values()) for (const wake of wakes) wake();
      await (
        await listening
      )?.();
    },

    isStopped: (): boolean => stopped,
  };
};

export type Hub = ReturnType<typeof createHub>;
