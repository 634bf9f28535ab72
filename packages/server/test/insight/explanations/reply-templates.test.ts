/** Templates of replies: their owners write them, everybody in support reads them, and there are at most 50. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../support/answers.ts';
import { operatorKey, signIn } from '../../support/console.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

const MOST = 50;
const NOT_FOUND = 'Reply template not found';
const TEMPLATE = { name: 'Paid back', text: 'Hello,\n\nthe payment for {product} was returned.', verdict: 'refunded' };

for (const engine of engines)
  describe(`reply templates on ${engine}`, () => {
    const app = startedApp(engine);

    const listOf = async (creator: Creator) => (await mustSucceed(creator.send('/listReplyTemplates'))).templates;

    it('are made, replaced as a whole and deleted, each in one event', async () => {
      const creator = await Creator.of(app);
      const { template } = await mustSucceed(creator.send('/saveReplyTemplate', TEMPLATE));
      const { templateId } = template;
      assert.deepEqual({ ...template, ...TEMPLATE, creatorId: creator.creatorId }, template);
      const shorter = { templateId, name: TEMPLATE.name, text: 'Hello' };
      const { template: changed } = await mustSucceed(creator.send('/saveReplyTemplate', shorter));
      assert.deepEqual(changed, { ...template, ...shorter, verdict: null, updatedAt: changed.updatedAt });
      assert.deepEqual(await listOf(creator), [changed]);
      await mustSucceed(creator.send('/saveReplyTemplate', shorter));
      await mustSucceed(creator.send('/deleteReplyTemplate', { templateId }));
      assert.deepEqual(await listOf(creator), []);
      assertRefused(await creator.send('/deleteReplyTemplate', { templateId }), 404, NOT_FOUND);
      assertRefused(await creator.send('/deleteReplyTemplate'), 400, 'Missing templateId');
      const { events } = (await app.admin('/listEvents', { types: ['reply_template.saved', 'reply_template.deleted'] }))
        .body;
      const second = { name: TEMPLATE.name, verdict: null, text: 'Hello' };
      assert.deepEqual(
        events.map(({ type, before: was, after: is }: Record<string, unknown>) => [type, was, is]),
        [
          ['reply_template.deleted', second, null],
          ['reply_template.saved', TEMPLATE, second],
          ['reply_template.saved', null, TEMPLATE],
        ],
      );
    });

    it('are made again after their deletion under their id, once, for their owner and within the limit', async () => {
      const creator = await Creator.of(app);
      const { template } = await mustSucceed(creator.send('/saveReplyTemplate', TEMPLATE));
      const { templateId } = template;
      await mustSucceed(creator.send('/deleteReplyTemplate', { templateId }));
      app.clock.move(1000);
      const again = { ...TEMPLATE, templateId, wasUpdatedAt: null };
      await fillPool(app);
      const made = await Promise.all(Array.from({ length: 5 }, () => creator.send('/saveReplyTemplate', again)));
      assert.deepEqual(made.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
      const [present] = await listOf(creator);
      assert.deepEqual(present, { ...template, createdAt: present.createdAt, updatedAt: present.updatedAt });
      assert.notEqual(present.updatedAt, template.updatedAt);
      const other = await Creator.of(app);
      assertRefused(await other.send('/saveReplyTemplate', { ...again, name: 'Mine' }), 404, NOT_FOUND);
      for (const unknown of ['mine', `${templateId}0`])
        assertRefused(await creator.send('/saveReplyTemplate', { ...again, templateId: unknown }), 404, NOT_FOUND);
      assert.deepEqual([await listOf(creator), await listOf(other)], [[present], []]);
      await mustSucceed(creator.send('/deleteReplyTemplate', { templateId }));
      for (let count = 0; count < MOST; count += 1) await mustSucceed(creator.send('/saveReplyTemplate', TEMPLATE));
      const full = await creator.send('/saveReplyTemplate', again);
      assert.deepEqual([full.status, full.headers['latchkey-code']], [409, 'too_many_reply_templates']);
      const saved = (await app.admin('/listEvents', { types: ['reply_template.saved'], limit: 1000 })).body.events;
      const ofIt = saved.filter(({ subject }: { subject: string }) => subject === templateId);
      assert.equal(ofIt.length, 2);
    });

    it('belong to the operator or to a creator, and stay with their owner', async () => {
      const creator = await Creator.of(app);
      const named = { ...TEMPLATE, creatorId: creator.creatorId };
      const { template } = await mustSucceed(app.admin('/saveReplyTemplate', named));
      assert.deepEqual(await listOf(creator), [template]);
      const { templateId } = template;
      await mustSucceed(app.admin('/saveReplyTemplate', { ...TEMPLATE, templateId, name: 'By the operator' }));
      assert.equal((await listOf(creator))[0].name, 'By the operator');
      const { template: own } = await mustSucceed(app.admin('/saveReplyTemplate', TEMPLATE));
      assert.equal(own.creatorId, null);
      assert.ok(!(await listOf(creator)).some((each: { templateId: string }) => each.templateId === own.templateId));
      const foreign = await creator.send('/saveReplyTemplate', { ...TEMPLATE, templateId: own.templateId });
      assertRefused(foreign, 404, NOT_FOUND);
      await mustSucceed(app.admin('/deleteReplyTemplate', { templateId: own.templateId }));
    });

    it('are read by support, which does not write them', async () => {
      const support = await signIn(app, { secret: await operatorKey(app, 'support') });
      assert.equal((await support.call('/listReplyTemplates')).status, 200);
      assert.equal((await support.call('/saveReplyTemplate', TEMPLATE)).status, 403);
    });

    it('are not read by viewers in events either', async () => {
      await mustSucceed(app.admin('/saveReplyTemplate', TEMPLATE));
      const types = ['reply_template.saved'];
      const seenBy = async (role: string) => {
        const { call } = await signIn(app, { secret: await operatorKey(app, role) });
        const [listed] = (await mustSucceed(call('/listEvents', { types, limit: 1 }))).events;
        const { newestEvents } = await mustSucceed(call('/getOverview'));
        const newest = newestEvents.find(({ id }: { id: string }) => id === listed.id);
        return [listed.after, newest.after];
      };
      const { text: _, ...others } = TEMPLATE;
      assert.deepEqual(await seenBy('viewer'), [others, others]);
      assert.deepEqual(await seenBy('support'), [TEMPLATE, TEMPLATE]);
    });

    it('are refused with text that is too long or that a customer would read with a placeholder in it', async () => {
      const creator = await Creator.of(app);
      const long = '\u00e4'.repeat(2049);
      for (const [fields, error] of [
        [{ name: 'x' }, 'Missing name or text'],
        [{ ...TEMPLATE, text: 'a'.repeat(4097) }, 'text must be a string of at most 4096 characters'],
        [{ ...TEMPLATE, text: long }, 'text must have at most 4096 bytes'],
        [
          { ...TEMPLATE, text: 'For {Product}' },
          'text must have no placeholders except {product}, {machine}, {email}, {end}, {limit}, {used}; it has {Product}',
        ],
      ] as const)
        assertRefused(await creator.send('/saveReplyTemplate', fields), 400, error);
      const { status } = await creator.send('/saveReplyTemplate', { ...TEMPLATE, verdict: 'guilty' });
      assert.equal(status, 400);
      const whole = { name: 'x'.repeat(100), text: '\u00e4'.repeat(2048) };
      const { template } = await mustSucceed(creator.send('/saveReplyTemplate', whole));
      assert.equal(template.text, whole.text);
    });

    it('are at most 50 for each owner, however many are made at once', async () => {
      const creator = await Creator.of(app);
      await fillPool(app);
      const made = await Promise.all(
        Array.from({ length: MOST + 14 }, () => creator.send('/saveReplyTemplate', TEMPLATE)),
      );
      assert.equal(made.filter(({ status }) => status === 200).length, MOST);
      const refused = made.filter(({ status }) => status === 409);
      assert.equal(refused.length, 14);
      assertRefused(refused[0]!, 409, `Too many reply templates (${MOST}). Delete one first.`);
      const [first] = await listOf(creator);
      assert.equal((await listOf(creator)).length, MOST);
      await mustSucceed(
        creator.send('/saveReplyTemplate', { ...TEMPLATE, templateId: first.templateId, name: 'Kept' }),
      );
      await mustSucceed(creator.send('/deleteReplyTemplate', { templateId: first.templateId }));
      await mustSucceed(creator.send('/saveReplyTemplate', TEMPLATE));
      const other = await Creator.of(app);
      await mustSucceed(other.send('/saveReplyTemplate', TEMPLATE));
    });
  });
