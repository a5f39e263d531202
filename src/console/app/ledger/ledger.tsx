/** Ledger. */
export const Ledger = () => (
  <section class="ledger">
    <div class="toolbar">
      <h1>Ledger</h1>
    </div>
    <p class="empty">This screen is not built yet.</p>
  </section>
);
