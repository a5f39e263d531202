/** By which other words people look for what they can do: those of commands, and of parts of screens. It is data; state/palette.ts reads it. */

/** The name of a command, and other words for it. A command that is also in PLACES has its words there. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  'Look at an earlier moment': 'history past time machine as of ago before restore',
  'Back to now': 'present today leave past',
  Undo: 'revert take back restore mistake',
  'Show keyboard shortcuts': 'keys help hotkeys',
  'Sign out': 'logout log off leave quit',
  'Go to today': 'now this week',
  'Show a list': 'agenda schedule',
};

export type Place = {
  /** Empty for the calendar. */
  screen: string;
  /** What to add to its address. */
  with?: Record<string, string>;
  /** The heading below which it is done. */
  heading: string;
  name: string;
  words: string;
  /** Whether it is left out while the page shows the past. */
  isNow?: true;
};

export const PLACES: readonly Place[] = [
  {
    ...{ screen: '', with: { form: 'event' }, heading: 'New event', name: 'New event', isNow: true },
    words: 'add create make appointment meeting',
  },
  { screen: 'account', heading: 'Password', name: 'Change the password', words: 'passphrase secret credentials' },
  { screen: 'account', heading: 'Profile', name: 'Choose light or dark', words: 'theme mode colours night appearance' },
  { screen: 'account', heading: 'Profile', name: 'Change name and time zone', words: 'timezone profile settings' },
  {
    ...{ screen: 'account', heading: 'Where you are signed in', name: 'End logins elsewhere' },
    words: 'sessions devices browsers logout sign out revoke',
  },
  {
    ...{ screen: 'account', heading: 'Sign in a phone', name: 'Sign in a phone' },
    words: 'qr code mobile device link scan login',
  },
  {
    ...{ screen: 'account', heading: 'Take everything along', name: 'Download the archive' },
    words: 'export backup zip ics takeout data save everything',
  },
  { screen: 'account', heading: 'Erase the account', name: 'Erase the account', words: 'delete close remove gdpr' },
  {
    ...{ screen: 'agents', heading: 'Connect an agent', name: 'Connect an agent' },
    words: 'token api key mcp host claude cursor create add new',
  },
  {
    ...{ screen: 'agents', heading: 'Keys', name: 'Revoke a key of an agent' },
    words: 'token api keys end remove delete disconnect stop scopes',
  },
  {
    ...{ screen: 'agents', heading: 'Keys', name: 'Undo what an agent caused' },
    words: 'take back revert rollback restore everything key',
  },
  {
    ...{ screen: 'agents', heading: 'Calendar programs', name: 'Subscribe from a calendar program' },
    words: 'feed ics ical webcal caldav phone qr apple thunderbird sync',
  },
  {
    ...{ screen: 'agents', heading: 'Other calendars', name: 'Add another calendar' },
    words: 'import ics ical subscribe feed source url file google outlook',
  },
  { screen: 'agents', heading: 'Webhooks', name: 'Set up webhooks', words: 'hook callback notify deliveries http' },
  { screen: 'tempo', heading: 'Tempo hours', name: 'Set working hours', words: 'tempo times week ranges availability' },
  {
    ...{ screen: 'tempo', heading: 'Limits of agents', name: 'Set limits of agents' },
    words: 'budget cadence rules most per day',
  },
  { screen: 'tempo', heading: 'What was learned', name: 'Look at what was learned', words: 'learning preferences' },
  { screen: 'tempo', heading: 'Tags', name: 'Set lengths and hours of tags', words: 'tempo tag duration' },
  {
    ...{ screen: 'context', heading: 'What to export', name: 'Export memory' },
    words: 'context tokens prompt model handover json',
  },
  { screen: 'context', heading: 'Checkpoints', name: 'Save a checkpoint', words: 'snapshot version bookmark' },
  {
    ...{ screen: 'memory', with: { write: '' }, heading: 'New note', name: 'Write a note', isNow: true },
    words: 'observation remember trace new add',
  },
  {
    ...{ screen: 'queue', with: { show: 'decided' }, heading: 'Queue', name: 'Look at decided proposals' },
    words: 'history approved rejected undo taken back',
  },
  { screen: 'ledger', heading: 'Ledger', name: 'Verify the ledger', words: 'audit hash chain history check proof' },
];
