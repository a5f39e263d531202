/**
 * Lets the writes of each user wait in this process, one behind the other. A burst then waits in memory at no cost, and does not
 * hold all connections of the pool at the row lock. Small writes that wait next to each other may form a group, which one
 * transaction does (group commit).
 */

/** How a group of writes is done. Writes with the same `kind` and `actor` may form one. */
export type GroupOf<I, T> = {
  kind: unknown;
  actor: string;
  /** Does all of them in one transaction. */
  all: (items: I[]) => Promise<T[]>;
  /** Does one of them in a transaction of its own: where it is alone, or where `all` failed. */
  one: (item: I) => Promise<T>;
  /** Whether `all` has certainly changed nothing where it failed so. */
  isUndone: (error: unknown) => boolean;
};

/** A group holds at most this many characters of documents, as many as a page of a list. */
const MOST_CHARACTERS = 1_000_000;
/** The entries of a group are one statement, so more members save little. */
const MOST_MEMBERS = 100;

type Member<I, T> = { item: I; resolve: (value: T) => void; reject: (error: unknown) => void };
type Group<I, T> = GroupOf<I, T> & { size: number; members: Member<I, T>[] };

const settleAll = async <I, T>({ members, all, one, isUndone }: Group<I, T>): Promise<void> => {
  if (members.length > 1)
    try {
      const values = await all(members.map(({ item }) => item));
      return members.forEach(({ resolve }, i) => resolve(values[i] as T));
    } catch (error) {
      if (!isUndone(error)) return members.forEach(({ reject }) => reject(error));
    }
  for (const { item, resolve, reject } of members) await one(item).then(resolve, reject);
};

const hasRoomFor = <I, T>({ kind, actor }: GroupOf<I, T>, size: number, group: Group<I, T>): boolean =>
  group.kind === kind &&
  group.actor === actor &&
  group.size + size <= MOST_CHARACTERS &&
  group.members.length < MOST_MEMBERS;

export const createWriteQueue = () => {
  const last = new Map<string, Promise<unknown>>();
  /** The group at the end of a user's queue, as long as it has not begun. */
  const open = new Map<string, Group<unknown, unknown>>();

  const enqueue = <T>(user_id: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(user_id) ?? Promise.resolve()).then(work);
    const over = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(user_id, over);
    void over.then(() => {
      if (last.get(user_id) === over) last.delete(user_id);
    });
    return mine;
  };

  const groupFor = <I, T>(user_id: string, of: GroupOf<I, T>, size: number): Group<I, T> => {
    const end = open.get(user_id) as unknown as Group<I, T> | undefined;
    if (end && hasRoomFor(of, size, end)) return end;
    const group: Group<I, T> = { ...of, size: 0, members: [] };
    const opened = group as unknown as Group<unknown, unknown>;
    open.set(user_id, opened);
    void enqueue(user_id, () => {
      if (open.get(user_id) === opened) open.delete(user_id);
      return settleAll(group);
    });
    return group;
  };

  return {
    /** Runs `work` when all earlier writes of this user are over. */
    alone: <T>(user_id: string, work: () => Promise<T>): Promise<T> => {
      open.delete(user_id); // A later write must not overtake this one.
      return enqueue(user_id, work);
    },

    /**
     * Does `item` with the group at the end of the queue, or with one that it starts.
     * @param size of its documents in characters
     */
    together: <I, T>(user_id: string, of: GroupOf<I, T>, item: I, size: number): Promise<T> =>
      new Promise((resolve, reject) => {
        const group = groupFor(user_id, of, size);
        group.members.push({ item, resolve, reject });
        group.size += size;
      }),
  };
};
