/** `node src/process/main.js`: starts the service. */
import './node-version.js';

await import('./compiled.js');
