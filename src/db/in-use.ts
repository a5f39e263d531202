/** Another process uses DATA_DIR (embedded.ts, which only a process loads that opens the embedded database). */
export class InUse extends Error {
  /** The id of that process. */
  readonly holder: number;

  constructor(dataDir: string, lock: string, holder: number) {
    super(
      `Another process already uses ${dataDir} (see ${lock}). Stop it, choose another DATA_DIR, or set DATABASE_URL to run several processes on one Postgres.`,
    );
    this.holder = holder;
  }
}
