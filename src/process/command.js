/**
 * `node src/process/command.js <command> [options]`: runs an operator's command beside the service, on the database that the
 * environment names.
 */
import './node-version.js';

await import('./command.ts');
