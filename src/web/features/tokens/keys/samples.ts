import { curlSample, FIRST_TEXT as TEXT, type Sending } from '#web/features/tokens/samples.ts';

export type Sample = {
  language: 'curl' | 'node' | 'php' | 'python' | 'go';
  title: string;
  code: string;
};

export const samplesFor = (sending: Sending): readonly Sample[] => [
  { language: 'curl', title: 'curl', code: curlSample(sending) },
  { language: 'node', title: 'Node.js', code: nodeSample(sending) },
  { language: 'php', title: 'PHP', code: phpSample(sending) },
  { language: 'python', title: 'Python', code: pythonSample(sending) },
  { language: 'go', title: 'Go', code: goSample(sending) },
];

const nodeSample = ({ address, key, to }: Sending): string =>
  `const reply = await fetch('${address}/v1/messages', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ to: '${to}', text: { body: '${TEXT}' } }),
});
console.log(reply.status, await reply.json());`;

const phpSample = ({ address, key, to }: Sending): string =>
  `<?php
$request = curl_init('${address}/v1/messages');
curl_setopt_array($request, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode([
        'to' => '${to}',
        'text' => ['body' => '${TEXT}'],
    ]),
]);
echo curl_exec($request);`;

const pythonSample = ({ address, key, to }: Sending): string =>
  `import requests

reply = requests.post(
    '${address}/v1/messages',
    headers={'Authorization': 'Bearer ${key}'},
    json={'to': '${to}', 'text': {'body': '${TEXT}'}},
)
print(reply.status_code, reply.json())`;

const goSample = ({ address, key, to }: Sending): string =>
  `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${JSON.stringify({ to, text: { body: TEXT } })}\`)
	request, err := http.NewRequest("POST", "${address}/v1/messages", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer ${key}")
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	fmt.Println(reply.StatusCode, string(text))
}`;
