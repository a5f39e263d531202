/** An app that asks a scripted model. */
import { anApp, type TestApp } from './app.ts';
import { aModel, type StubModel } from './model.ts';

type ModelApp = { stub: StubModel; app: TestApp; close: () => Promise<void> };

export const aModelApp = async (): Promise<ModelApp> => {
  const stub = await aModel();
  const app = await anApp({ env: { OPENAI_BASE_URL: stub.baseURL } });
  const close = async (): Promise<void> => {
    await app.close();
    await stub.close();
  };
  return { stub, app, close };
};
