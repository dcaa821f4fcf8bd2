// One case of the official SDK for JavaScript, against the API of GOOGLE_GEMINI_BASE_URL.
// Prints what the SDK makes of it, a line each.

import { GoogleGenAI, FunctionCallingConfigMode } from '@google/genai';

const ai = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
const model = 'gemini-3-flash-preview';
const show = (...values) => console.log(values.map((value) => JSON.stringify(value)).join(' '));

const add = {
  name: 'add',
  description: 'Adds two numbers',
  parametersJsonSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};
const config = { tools: [{ functionDeclarations: [add] }] };

/** The parts that answer these calls. */
function answers(calls) {
  return calls.map(({ id, name, args }) => ({
    functionResponse: { id, name, response: { output: args.a + args.b } },
  }));
}

/** Prints an error of the SDK. */
async function fails(work) {
  try {
    show('no error', await work());
  } catch (error) {
    show(error.name, error.status ?? null, error.message.split('\n')[0].slice(0, 120));
  }
}

/** The texts of a stream. */
async function collect(stream) {
  const texts = [];
  for await (const chunk of stream) texts.push(chunk.text ?? null);
  return texts;
}

const cases = {
  // Parallel calls, a second step, an answer, and another message with all of it.
  async functions() {
    const chat = ai.chats.create({ model, config });
    let response = await chat.sendMessage({ message: '1+2 and 3+4, then both' });
    while (response.functionCalls) {
      show(response.functionCalls.map((call) => call.args));
      response = await chat.sendMessage({ message: answers(response.functionCalls) });
    }
    show(response.text, response.candidates[0].finishReason);
    show((await chat.sendMessage({ message: 'thanks' })).text);
  },

  // The SDK itself calls a function until the model has an answer.
  async automatic() {
    const tool = {
      tool: async () => ({ functionDeclarations: [add] }),
      callTool: async (calls) => answers(calls),
    };
    const response = await ai.models.generateContent({
      model,
      contents: '1+2',
      config: { tools: [tool] },
    });
    show(response.text, response.automaticFunctionCallingHistory?.length ?? 0);
  },

  async modes() {
    const functionCallingConfig = {
      mode: FunctionCallingConfigMode.ANY,
      allowedFunctionNames: ['add'],
    };
    const response = await ai.models.generateContent({
      model,
      contents: '1+2',
      config: { ...config, toolConfig: { functionCallingConfig } },
    });
    show(response.functionCalls);
  },

  // Texts, thoughts, a call and its answer, as streams of one chat.
  async streams() {
    const thinkingConfig = { includeThoughts: true };
    const chat = ai.chats.create({ model, config: { ...config, thinkingConfig } });
    show(await collect(await chat.sendMessageStream({ message: 'hi' })));
    let calls = [];
    for await (const chunk of await chat.sendMessageStream({ message: '1+2' })) {
      calls = calls.concat(chunk.functionCalls ?? []);
    }
    show(calls);
    show(await collect(await chat.sendMessageStream({ message: answers(calls) })));
    show(await collect(await chat.sendMessageStream({ message: 'and so on' })));
  },

  async caches() {
    const contents = 'x'.repeat(10000);
    const cache = await ai.caches.create({ model, config: { contents, ttl: '900s' } });
    show(cache.name, cache.model, cache.usageMetadata);
    const response = await ai.models.generateContent({
      model,
      contents: 'hi',
      config: { cachedContent: cache.name },
    });
    const { promptTokenCount, cachedContentTokenCount } = response.usageMetadata;
    show(response.text, promptTokenCount, cachedContentTokenCount);
    const { name } = cache;
    const updated = await ai.caches.update({ name, config: { ttl: '1800s' } });
    show(Date.parse(updated.expireTime) - Date.parse(cache.expireTime) >= 900_000);
    const names = [];
    for await (const one of await ai.caches.list()) names.push(one.name);
    show(names, (await ai.caches.get({ name })).name);
    await ai.caches.delete({ name });
    await fails(() => ai.caches.get({ name }));
    await fails(() => ai.caches.create({ model, config: { contents: 'small' } }));
  },

  async models() {
    show((await ai.models.get({ model })).inputTokenLimit);
    const names = [];
    for await (const one of await ai.models.list()) names.push(one.name);
    show(names);
    show((await ai.models.countTokens({ model, contents: 'twelve chars' })).totalTokens);
  },

  async answers() {
    for (let count = 0; count < 4; count++) {
      const response = await ai.models.generateContent({ model, contents: 'hi' });
      const [candidate] = response.candidates ?? [];
      show(
        response.text ?? null,
        candidate?.finishReason ?? null,
        response.promptFeedback?.blockReason ?? null,
      );
    }
  },

  async errors() {
    const generate = () => ai.models.generateContent({ model, contents: 'hi' });
    for (let count = Number(process.argv[3]); count > 0; count--) await fails(generate);
    const unknown = { model: 'gemini-0', contents: 'hi' };
    await fails(() => ai.models.generateContent(unknown));
  },

  async breaks() {
    const stream = async () =>
      collect(await ai.models.generateContentStream({ model, contents: 'hi' }));
    for (let count = Number(process.argv[3]); count > 0; count--) await fails(stream);
  },
};

await cases[process.argv[2]]();
