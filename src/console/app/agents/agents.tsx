/** Agents and keys. */
export const Agents = () => (
  <section class="agents">
    <div class="toolbar">
      <h1>Agents and keys</h1>
    </div>
    <p class="empty">This screen is not built yet.</p>
  </section>
);
