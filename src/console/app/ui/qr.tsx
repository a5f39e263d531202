/** An address as a QR code, for a phone that is held before the screen. */
import { encodeQR } from 'qr';

/** The margin that a reader needs to find the code (ISO/IEC 18004), in modules. */
const QUIET = 4;

/** One path of all dark modules: each run of a row is a rectangle. */
const outline = (rows: readonly boolean[][]): string =>
  rows
    .flatMap((row, y) => {
      const runs: string[] = [];
      for (let x = 0; x < row.length; x++) {
        if (!row[x]) continue;
        const from = x;
        while (row[x + 1]) x++;
        const length = x + 1 - from;
        runs.push(`M${from} ${y}h${length}v1h-${length}z`);
      }
      return runs;
    })
    .join('');

/** Whether only this machine has the address. */
const isOfThisMachine = (address: string): boolean => {
  // The URL standard writes every spelling of an IPv4 address in the same way, but only for the schemes that it knows.
  const { hostname } = new URL(address.replace(/^webcal:/, 'http:'));
  return /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
};

export const QrCode = ({ address, name }: { address: string; name: string }) => {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: QUIET });
  return (
    <>
      <svg
        class="qr"
        viewBox={`0 0 ${rows.length} ${rows.length}`}
        role="img"
        aria-label={name}
        shape-rendering="crispEdges"
      >
        <path d={outline(rows)} />
      </svg>
      {isOfThisMachine(address) && (
        <p class="quiet">
          A phone cannot open this address, because it is that of this machine only: set PUBLIC_URL to one that the
          phone reaches, and open the console there.
        </p>
      )}
    </>
  );
};
