/** The colours and measures that all pages of the service share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOKENS = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
