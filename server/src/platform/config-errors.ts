export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
  }
}

export class NoDatabaseError extends Error {
  constructor(readonly dataFolder: string) {
    super(
      `FEIRA_DATA (${dataFolder}) contains no database. Run "feira serve" to create one, or set FEIRA_DATA or DATABASE_URL to an existing one.`,
    );
  }
}
