/** Context. */
export const Context = () => (
  <section class="context">
    <div class="toolbar">
      <h1>Context</h1>
    </div>
    <p class="empty">This screen is not built yet.</p>
  </section>
);
