/** The beginning of the page. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followWhileSignedIn } from './state/live.ts';
import { start } from './state/service.ts';

render(<App />, document.getElementById('app') as HTMLElement);
followWhileSignedIn();
void start();
