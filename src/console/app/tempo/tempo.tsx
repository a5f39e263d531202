/** Tempo and limits. */
export const Tempo = () => (
  <section class="tempo">
    <div class="toolbar">
      <h1>Tempo and limits</h1>
    </div>
    <p class="empty">This screen is not built yet.</p>
  </section>
);
