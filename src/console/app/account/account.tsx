/** Account. */
export const Account = () => (
  <section class="account">
    <div class="toolbar">
      <h1>Account</h1>
    </div>
    <p class="empty">This screen is not built yet.</p>
  </section>
);
