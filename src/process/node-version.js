/**
 * Ends the process with a message where Node is older than 26, before it reads a file that such a Node cannot read. The programs
 * import this file first and everything else dynamically. An older Node has to read it too.
 */
const LEAST = 26;

if (parseInt(process.versions.node, 10) < LEAST) {
  process.stderr.write(
    `This needs Node ${LEAST}, and this is ${process.versions.node} (${process.execPath}). npm ci installs the right one in node_modules/.bin: start by npm, or put that folder first in PATH.\n`,
  );
  process.exit(1);
}
