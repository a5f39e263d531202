/** The release of this code, as package.json names it. */
import packageJson from '../../package.json' with { type: 'json' };

export const RELEASE = packageJson.version;
