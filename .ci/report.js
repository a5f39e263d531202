/**
 * A reporter for Vitest. It writes into the file REPORT what .ci/tests.js asks: by file what came of its tests, and how many errors
 * occurred outside of tests.
 */
import { writeFileSync } from 'node:fs';

const fileOf = (module) => {
  const tests = [...module.children.allTests()].map((test) => [test.result().state, test.fullName]);
  const count = (wanted) => tests.filter(([state]) => state === wanted).length;
  const failed = tests.filter(([state]) => state === 'failed').map(([, name]) => name.replaceAll(/\s+/g, ' '));
  // A file that cannot be loaded, or whose hooks fail, counts as one test.
  if (module.state() === 'failed' && !failed.length) failed.push('the file itself');
  return [module.relativeModuleId, { passed: count('passed'), skipped: count('skipped'), failed }];
};

export default class Report {
  onTestRunEnd(modules, errors) {
    writeFileSync(process.env.REPORT, JSON.stringify({ files: modules.map(fileOf), stray: errors.length }));
  }
}
