/**
 * Wakes readers when a user's ledger grows. A commit of this process wakes them at once. Other instances learn of it by a
 * coalesced NOTIFY, sent outside of write transactions. Every instance also polls, so a lost notification delays a reader by half
 * a second.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { DatabaseHandle } from '../db/database.ts';
import type { Logger } from '../observability/log.ts';

const CHANNEL = 'almanac_ledger';
/** Commits in this time share one NOTIFY. In a write transaction, NOTIFY would cost two thirds of the throughput. */
const GATHER_MS = 20;
/** Postgres takes a payload of less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** A revoked credential must lose its sockets in a second, also when notifications are lost. Polling takes half of it. */
const BEAT_MS = 500;

type Watched = { seq: number; wakes: Set<() => void> };

export type HubDeps = { handle: DatabaseHandle; log: Logger };

/** Makes payloads `instance user=seq,user=seq,...`, as many as their size limit requires. */
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
  /** Heads that the other instances have not been notified of yet. */
  let unannounced = new Map<string, number>();
  let telling: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let listening: Promise<() => Promise<void>> | undefined;
  let stopped = false;

  /** Announces a head. One that is already known wakes nobody. */
  const announce = (user_id: string, seq: number): void => {
    const found = watched.get(user_id);
    if (!found || seq <= found.seq) return;
    found.seq = seq;
    for (const wake of found.wakes) wake();
  };

  const tell = async (): Promise<void> => {
    telling = undefined;
    const heads = unannounced;
    unannounced = new Map();
    try {
      for (const message of packWakeUps(instance, heads)) await handle.notify(CHANNEL, message);
    } catch (error) {
      log.debug({ err: error }, 'could not notify other instances, which poll instead'); // Nothing is lost, because the other instances poll.
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

  /** Reads the heads of all users that are watched here in one query, through the index ledger_heads_pkey. */
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
      // A ledger that is shorter than before this query belongs to a restored database. Its readers must read again.
      if (found && seq < (before.get(user_id) ?? 0)) found.seq = -1;
      announce(user_id, seq);
    }
    // An erased account has no head, and one entry after the last that was announced.
    const existing = new Set(heads.map((head) => head.user_id));
    for (const user_id of watched.keys()) if (!existing.has(user_id)) announce(user_id, Number.MAX_SAFE_INTEGER);
  };

  /** Each poll starts after the one before has ended, so they never overlap. */
  const beat = async (): Promise<void> => {
    for (const work of [poll, ...beats])
      await work().catch((error: unknown) =>
        log.debug({ err: error }, 'a check of the live connections failed and will be repeated'),
      );
    if (!stopped && watched.size) beating = setTimeout(() => void beat(), BEAT_MS).unref();
    else beating = undefined;
  };

  return {
    /** The ledger calls this after each commit (ledger.onCommit). */
    committed: (user_id: string, seq: number): void => {
      announce(user_id, seq);
      if (handle.kind === 'embedded' || stopped) return; // The embedded database has no other instances.
      unannounced.set(user_id, Math.max(seq, unannounced.get(user_id) ?? 0));
      telling ??= setTimeout(() => void tell(), GATHER_MS).unref();
    },

    /**
     * Returns the newest announced seq, 0 before the first; it only grows. A read that begins after this call sees at least that
     * seq.
     */
    known: (user_id: string): number => watched.get(user_id)?.seq ?? 0,

    /**
     * Calls `wake` when the user's ledger has grown, on this instance or another one. It may be called more often than needed.
     * @returns a function that ends the watch
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

    /** Adds work that runs at every poll while anybody is watched. */
    onBeat: (work: () => Promise<void>): void => void beats.add(work),

    /** Wakes all readers a last time, then stops. */
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
