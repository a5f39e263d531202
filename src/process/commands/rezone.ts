/** `npm run rezone`: keeps the wall times of future events after an update of the time zone data (a new Node). */
import type { DatabaseCommand, CommandContext } from './operator-command.ts';

/** The report of calendar/rezone.ts. */
type Report = {
  release: string;
  users: number;
  events: number;
  moved: number;
  zones: Record<string, number>;
  displaced: number;
  unknown: number;
};
type Rezone = (options: {
  dry?: boolean | undefined;
  user_id?: string | undefined;
  onProgress?: ((line: string) => void) | undefined;
}) => Promise<Report>;

/** @param rezoneOf returns the calendar on the command's database (app.services.rezone) */
export const createRezoneCommand = (rezoneOf: (context: CommandContext) => Rezone): DatabaseCommand => ({
  summary: 'Keep the wall times of future events after an update of the time zone data',
  help: `  --dry-run         print what would move, and change nothing
  --user <id>       move the events of one user only
  --json            print the counts as one JSON object

Run it once with a Node that has other time zone data (node -p process.versions.tz), after the service was restarted with it.
Each event that moves gets a new version by the actor system:timezone, with a trace and a message, as every edit does. The
command can be repeated. On a Postgres it works while the service runs. The embedded database allows one process, so stop the
service first.`,
  options: {
    'dry-run': { type: 'boolean', default: false },
    user: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  run: async (context, { 'dry-run': dry, user, json }) => {
    const rezone = rezoneOf(context);
    const report = await rezone({
      dry: dry === true,
      user_id: typeof user === 'string' ? user : undefined,
      onProgress: context.progress,
    });
    if (json) {
      context.print(JSON.stringify(report));
      return 'done';
    }
    const { users, events, moved, displaced, unknown, release, zones } = report;
    const by = Object.entries(zones)
      .map(([zone, count]) => `${zone} ${count}`)
      .join(', ');
    context.print(
      `${dry === true ? 'Would move' : 'Moved'} ${moved} of ${events} events ahead, of ${users} users, by time zone data ${release}${by ? ` (${by})` : ''}.`,
    );
    if (displaced)
      context.print(
        `${displaced} agents' blocks overlapped an event at their new time, and their plans were proposed again.`,
      );
    if (unknown)
      context.print(`The old rules of ${unknown} series are not known, so their exceptions keep their instants.`);
    return 'done';
  },
});
