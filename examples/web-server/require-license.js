import { sentenceFor } from '../what-to-show.js';

/**
 * Lets requests through while the license is good, and otherwise answers 503 with a sentence. Works with Express as
 * `app.use(requireLicense(latchkey))`, and with node:http as in server.js. GET and HEAD always pass, because a license
 * never keeps people from their own data.
 */
export function requireLicense(latchkey) {
  return (request, response, next) => {
    if (latchkey.mayRun || request.method === 'GET' || request.method === 'HEAD') return next();
    response.statusCode = 503;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ error: sentenceFor(latchkey.state) }));
  };
}
