/**
 * The console's files. They are bundled at the first request, by another process, so that the bundler takes no memory of the
 * service and nothing has to be built or written before a start. It takes about half a second, once for each process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { StaticFiles } from '../http/pages/static-files.ts';

const bundle = async (): Promise<StaticFiles> => {
  // Without the arguments of this process, which may ask for a debugger or for watching.
  const child = fork(`${import.meta.dirname}/bundle.ts`, { serialization: 'advanced', execArgv: [], stdio: 'inherit' });
  const files = once(child, 'message').then(([made]) => made as StaticFiles);
  const failure = once(child, 'exit').then(([code]) => {
    throw new Error(`The console could not be bundled (exit ${String(code)}); stderr says why.`);
  });
  failure.catch(() => undefined);
  return Promise.race([files, failure]);
};

/** Returns a function that bundles once; a failure is tried again at the next request. */
export const createConsole = (): (() => Promise<StaticFiles>) => {
  let made: Promise<StaticFiles> | undefined;
  return () => {
    made ??= bundle().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};
