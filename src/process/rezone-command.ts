/** `npm run rezone`: keeps the wall times of future events after an update of the time zone data (a new Node). */
import type { Command, CommandContext } from './operator-command.ts';

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
export const createRezoneCommand = (rezoneOf: (context: CommandContext) => Rezone): Command => ({
  summary: 'Move future events to where their wall times are by new time zone data',
  help: `  --dry-run         say what would move, and change nothing
  --user <id>       of one user only
  --json            the counts as one JSON object

Run it once with a Node that brings other time zone data (node -p process.versions.tz), after the service has been restarted
with it. Each moved event gets a new version by the actor system:timezone, its trace and its message, as any edit. Can be run
again, and while the service runs on a Postgres; the embedded database is for one process: stop the service first.`,
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
      context.print(`${displaced} agents' blocks met something on their new time: their plans are back in the queue.`);
    if (unknown)
      context.print(`Of ${unknown} series the old rules are not known: their exceptions stay at their instants.`);
    return 'done';
  },
});
