export type SignatureSample = {
  language: 'node' | 'php' | 'python' | 'go';
  title: string;
  /** A whole program or script; the secret is in the environment variable `WEBHOOK_SECRET`. */
  code: string;
};

const node = `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = Buffer.from(process.env.WEBHOOK_SECRET.slice("whsec_".length), "base64");

function isOurs(headers, body) {
  const id = headers["webhook-id"];
  const at = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - at) < 300)) return false;
  const right = createHmac("sha256", secret).update(\`\${id}.\${at}.\`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((one) => {
    const given = Buffer.from(one.slice("v1,".length), "base64");
    return one.startsWith("v1,") && given.length === right.length && timingSafeEqual(given, right);
  });
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!isOurs(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const event = JSON.parse(body);
  console.log(event.type, event.data);
}).listen(process.env.PORT ?? 4000, "127.0.0.1");`;

const php = `<?php
$secret = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '0';

$right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $secret, true));
$fits = fn ($one) => hash_equals($right, $one);
$given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');

if (abs(time() - (int) $at) >= 300 || !array_filter($given, $fits)) {
    http_response_code(401);
    exit;
}
http_response_code(204);
$event = json_decode($body, true);
error_log($event['type']);`;

const python = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = base64.b64decode(os.environ['WEBHOOK_SECRET'].removeprefix('whsec_'))

def is_ours(headers, body):
    event_id, at = headers.get('webhook-id', ''), headers.get('webhook-timestamp', '')
    if not at.isdigit() or abs(time.time() - int(at)) >= 300:
        return False
    signed = f'{event_id}.{at}.'.encode() + body
    digest = hmac.new(secret, signed, hashlib.sha256).digest()
    right = b'v1,' + base64.b64encode(digest)
    given = headers.get('webhook-signature', '').encode().split(b' ')
    return any(hmac.compare_digest(right, one) for one in given)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length', 0)))
        ours = is_ours(self.headers, body)
        self.send_response(204 if ours else 401)
        self.end_headers()
        if ours:
            event = json.loads(body)
            print(event['type'], event['data'], flush=True)

HTTPServer(('127.0.0.1', int(os.environ.get('PORT', 4000))), Receiver).serve_forever()`;

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var secret, _ = base64.StdEncoding.DecodeString(
	strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))

func isOurs(header http.Header, body []byte) bool {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() >= 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	right := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(right)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/", func(reply http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || !isOurs(request.Header, body) {
			reply.WriteHeader(http.StatusUnauthorized)
			return
		}
		reply.WriteHeader(http.StatusNoContent)
		log.Println(string(body))
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:4000", nil))
}`;

/** Receivers that verify the signature of Standard Webhooks with the standard library alone. */
export const signatureSamples: readonly SignatureSample[] = [
  { language: 'node', title: 'Node.js', code: node },
  { language: 'php', title: 'PHP', code: php },
  { language: 'python', title: 'Python', code: python },
  { language: 'go', title: 'Go', code: go },
];
