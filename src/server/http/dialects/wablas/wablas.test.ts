import { expect } from 'vitest';
import { test } from '#tests/support/app/api-caller.ts';
import { type DialectCall, ask } from '#tests/support/app/dialect-caller.ts';

test('one message with the bare key, with a secret appended, or with a key in the address', async ({
  ani,
  running,
}) => {
  const form = { phone: '6281218000001', message: 'hello there', ref_id: 'promo' };
  const { key } = ani;
  const answers = [
    await ask(running, '/api/send-message', { key, form }),
    await ask(running, '/api/send-message', { key: `${key}.rahasia`, json: form }),
    await ask(
      running,
      `/api/send-message?${new URLSearchParams({ ...form, token: `${key}.x` }).toString()}`,
      {
        method: 'GET',
      },
    ),
  ];
  for (const [index, { status, body }] of answers.entries()) {
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: true,
        message: 'Message is pending and waiting to be processed',
        data: {
          device_id: expect.stringMatching(/^tok_/),
          quota: 4 - index,
          messages: [
            {
              id: expect.stringMatching(/^[0-9a-f-]{36}$/),
              phone: '6281218000001',
              message: 'hello there',
              status: 'pending',
              ref_id: 'promo',
            },
          ],
        },
      },
    });
  }
});

test('several messages have a row each', async ({ ani, running }) => {
  const { key } = ani;
  const json = {
    data: [
      { phone: '6281218000001', message: 'satu' },
      { phone: 'x', message: 'dua' },
      { phone: '6281218000003', message: 'tiga', isGroup: 'false' },
    ],
  };
  const { body } = await ask(running, '/api/v2/send-message', { key, json });
  expect(body.data.messages).toMatchObject([
    { phone: '6281218000001', message: 'satu', status: 'pending' },
    { id: null, phone: 'x', message: 'format phone invalid', status: false },
    { phone: '6281218000003', message: 'tiga', status: 'pending' },
  ]);
  const image = { phone: '6281218000001', image: 'https://x.example/foto.jpg', caption: 'tes' };
  const media = await ask(running, '/api/v2/send-image', { key, json: { data: [image] } });
  expect(media.body.data.messages).toMatchObject([
    { message: null, caption: 'tes', image: 'foto.jpg', status: 'pending' },
  ]);
});

test('schedules messages and cancels them', async ({ ani, running }) => {
  const { key } = ani;
  const form = {
    phone: '081218000001,081218000002',
    date: '2096-05-20',
    time: '13:20:00',
    timezone: 'Asia/Jakarta',
    message: 'hello',
  };
  const planned = await ask(running, '/api/schedule', { key, form });
  expect(planned.body).toMatchObject({
    status: true,
    category: 'text',
    'phones list': ['081218000001', '081218000002'],
    messages: [
      {
        phone: '6281218000001',
        message: 'hello',
        status: true,
        schedule_at: '2096-05-20 13:20:00',
      },
      { phone: '6281218000002' },
    ],
  });
  const [first, second] = planned.body.messages.map(({ id }: { id: string }) => id);
  expect(
    (await ask(running, `/api/schedule-cancel/${first}`, { key, method: 'PUT' })).body,
  ).toEqual({ status: true, message: 'schedule canceled successfully' });
  expect((await ask(running, `/api/schedule/${first}`, { key, method: 'DELETE' })).body).toEqual({
    status: true,
    message: 'schedule deleted successfully',
  });
  expect((await ask(running, '/api/schedule/x', { key, method: 'DELETE' })).body).toEqual({
    status: false,
    message: 'Id Invalid or message is not pending anymore',
  });
  const cancelled = await ask(running, `/api/cancel-message?id=${second},x`, {
    key,
    method: 'GET',
  });
  expect(cancelled.body.data.messages).toEqual([
    { id: second, phone: '6281218000002', message: 'hello', status: 'cancel' },
    { message: 'Id Invalid or message is not pending anymore', status: false },
  ]);
  const json = {
    data: [
      {
        category: 'text',
        phone: '081218000001',
        scheduled_at: '2096-05-20 13:20:00',
        text: 'Halo',
      },
      { category: 'sulap', phone: '081218000001', scheduled_at: '2096-05-20 13:20:00' },
    ],
  };
  expect((await ask(running, '/api/v2/schedule', { key, json })).body.data.messages).toMatchObject([
    { messages: 'Halo', file: null, timezone: 'Asia/Jakarta', schedule_at: '2096-05-20 13:20:00' },
    { message: 'category invalid', status: false },
  ]);
});

test('reports and the device', async ({ ani, running }) => {
  const { key } = ani;
  for (const [phone, ref_id] of [
    ['081218000001', 'a'],
    ['081218000002', 'b'],
    ['081218000001', 'b'],
  ] as const) {
    await ask(running, '/api/send-message', {
      key,
      form: { phone, message: `ke ${phone}`, ref_id },
    });
  }
  const get = async (path: string) => (await ask(running, path, { key, method: 'GET' })).body;
  const today = await get('/api/report-realtime?page=&message_id=&limit=2');
  expect(today).toMatchObject({ status: true, page: '1', totalPage: 2, totalData: 3 });
  expect(today.message).toMatchObject([
    {
      phone: { from: expect.stringMatching(/^62/), to: '6281218000001' },
      message: 'ke 081218000001',
      file: null,
      status: 'pending',
      category: 'text',
      date: { created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) },
    },
    { phone: { to: '6281218000002' } },
  ]);
  const { id } = today.message[1];
  expect((await get(`/api/report-realtime?message_id=${id}`)).message).toMatchObject([{ id }]);
  const report = await get('/api/report/message?phone=081218000001&perPage=100&page=1');
  expect(report).toMatchObject({ totalData: 2, perPage: '100' });
  expect(report.message[0]).toMatchObject({ text: 'ke 081218000001', URL_file: null, ref_id: 'b' });
  expect((await get('/api/report/message?ref_id=b&status=pending')).totalData).toBe(2);
  expect((await get('/api/report/message?date=2020-01-01')).totalData).toBe(0);
  for (const wrong of ['date=1999-01-01', 'date=besok', 'page=-1', 'perPage=9999999', 'page=1e9']) {
    expect(await get(`/api/report/message?${wrong}`), wrong).toMatchObject({ status: false });
  }
  expect(await get(`/api/device/info`)).toMatchObject({
    status: true,
    data: { status: 'connected', sender: expect.stringMatching(/^62/), quota: 2, active: true },
  });
});

test('every refusal is a 200 with its message', async ({ ani, running }) => {
  const { key } = ani;
  const no = async (path: string, asked: DialectCall) => {
    const { status, body } = await ask(running, path, asked);
    expect(body).toEqual({ status: false, message: expect.any(String) });
    return [status, body.message];
  };
  const form = { phone: '08123456789', message: 'x' };
  expect(await no('/api/send-message', { form })).toEqual([200, 'token invalid']);
  expect(await no('/api/send-message', { form, key: 'x.y' })).toEqual([200, 'token invalid']);
  expect(await no('/api/send-message', { key, form: { message: 'x' } })).toEqual([
    200,
    'phone is required',
  ]);
  expect(await no('/api/v2/send-message', { key, json: '{' })).toEqual([200, 'payload invalid']);
  expect(await no('/api/v2/send-message', { key, json: {} })).toEqual([200, 'data invalid']);
});

test('an item that is not an object gets its own row', async ({ ani, running }) => {
  const json = { data: [{ phone: '6281218000001', message: 'satu' }, null] };
  const { body } = await ask(running, '/api/v2/send-message', { key: ani.key, json });
  expect(body.data.messages).toMatchObject([
    { phone: '6281218000001', status: 'pending' },
    { id: null, phone: '', message: 'data invalid', status: false },
  ]);
});

test('reports refuse a phone that the database cannot store', async ({ ani, running }) => {
  for (const path of ['/api/report/message', '/api/report-realtime']) {
    const asked = { key: ani.key, method: 'GET' as const };
    const { status, body } = await ask(running, `${path}?phone=%00`, asked);
    expect({ status, body }, path).toEqual({
      status: 200,
      body: { status: false, message: 'format phone invalid' },
    });
  }
});

test("unknown addresses below /api/ get the dialect's refusal", async ({ ani, running }) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
    const { status, body } = await ask(running, '/api/send-list', { key: ani.key, method });
    expect({ status, body }, method).toEqual({
      status: 200,
      body: { status: false, message: 'request invalid' },
    });
  }
});
