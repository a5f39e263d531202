/** Tells the subscribers of resources that one may have changed, by following the ledger as long polling does. */
import type { ServerEventBus } from '@modelcontextprotocol/server';
import { Problem } from '../common/problem.ts';
import type { Call } from './tool.ts';

const WAIT_SECONDS = 25;

export type UpdatesDeps = {
  /** The URIs that the subscriber named. */
  uris: string[];
  call: Call;
  /** Returns which of the URIs may be different after changes of these types. */
  touched: (uris: string[], types: ReadonlySet<string>) => string[];
  /** Returns whether the subscriber is still connected and may go on. @throws 401 where its credential has ended */
  mayGoOn: () => Promise<boolean>;
  /** Ends the stream. */
  end: () => void;
  failed: (error: unknown) => void;
};

type Changes = { changes: { type: string }[]; position: string };

/** An event bus with one subscriber. The ledger publishes to it, so `publish` has no effect. */
export const resourceUpdates = ({ uris, call, touched, mayGoOn, end, failed }: UpdatesDeps): ServerEventBus => {
  const follow = async (query: object): Promise<Changes> => (await call('listChanges', { query })).body as Changes;

  const tell = async (listener: Parameters<ServerEventBus['subscribe']>[0], isOver: () => boolean): Promise<void> => {
    let { position } = await follow({});
    while (!isOver() && (await mayGoOn())) {
      const page = await follow({ after: position, wait: WAIT_SECONDS });
      position = page.position;
      const types = new Set(page.changes.map(({ type }) => type));
      if (!isOver()) for (const uri of touched(uris, types)) listener({ kind: 'resource_updated', uri });
    }
  };

  return {
    publish: () => undefined,
    subscribe: (listener) => {
      let over = false;
      void tell(listener, () => over)
        .catch((error: unknown) => {
          if (!(error instanceof Problem)) failed(error);
        })
        .finally(end);
      return () => {
        over = true;
      };
    },
  };
};
