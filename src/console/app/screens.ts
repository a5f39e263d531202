/** All screens, in the order of the navigation. The calendar is part of the first script; the others are loaded when they are opened. */
import type { ComponentType } from 'preact';
import { Calendar } from './calendar/calendar.tsx';

export type Entry = {
  address: string;
  name: string;
  /** Other words by which people look for it. */
  also: string;
  /** The outline of its icon, in a square of 24. */
  icon: string;
  /** Whether it follows the time machine. */
  followsPast?: true;
  load: () => Promise<ComponentType>;
};

export const SCREENS: readonly Entry[] = [
  {
    ...{ address: '', name: 'Calendar', followsPast: true, also: 'day week month events proposals' },
    icon: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
    load: () => Promise.resolve(Calendar),
  },
  {
    ...{ address: 'queue', name: 'Queue', followsPast: true, also: 'proposals approve reject decide' },
    icon: 'M4 6l2 2 3-4M4 13l2 2 3-4M13 6h7M13 13h7M13 20h7M4 20h4',
    load: async () => (await import('./queue/queue.tsx')).Queue,
  },
  {
    ...{ address: 'chat', name: 'Chat', also: 'ask write plan prompt' },
    icon: 'M4 5h16v11H10l-5 4v-4H4z',
    load: async () => (await import('./chat/chat.tsx')).Chat,
  },
  {
    ...{ address: 'memory', name: 'Memory', followsPast: true, also: 'search traces notes history versions' },
    icon: 'M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM15.5 15.5L21 21',
    load: async () => (await import('./memory/memory.tsx')).Memory,
  },
  {
    ...{ address: 'context', name: 'Context', followsPast: true, also: 'export checkpoint tokens model prompt' },
    icon: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6',
    load: async () => (await import('./context/context.tsx')).Context,
  },
  {
    ...{ address: 'tempo', name: 'Tempo and limits', also: 'working hours budget cadence preferences' },
    icon: 'M12 4a8.5 8.5 0 100 17 8.5 8.5 0 000-17zM12 8v5l3.5 2',
    load: async () => (await import('./tempo/tempo.tsx')).Tempo,
  },
  {
    ...{ address: 'agents', name: 'Agents and keys', also: 'connect mcp caldav feeds webhooks revoke' },
    icon: 'M8 11a4 4 0 100 8 4 4 0 000-8zM11 12l8-8M16 7l3 3',
    load: async () => (await import('./agents/agents.tsx')).Agents,
  },
  {
    ...{ address: 'ledger', name: 'Ledger', followsPast: true, also: 'audit chain verify hash entries log' },
    icon: 'M5 4h14v5H5zM5 15h14v5H5zM12 9v6',
    load: async () => (await import('./ledger/ledger.tsx')).Ledger,
  },
  {
    ...{ address: 'account', name: 'Account', also: 'profile zone password sessions archive erase settings' },
    icon: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c0-5 4-6 8-6s8 1 8 6',
    load: async () => (await import('./account/account.tsx')).Account,
  },
];
