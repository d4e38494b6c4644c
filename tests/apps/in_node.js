// SPDX-License-Identifier: Apache-2.0
// crypto and tls; see language.py.
const crypto = require('crypto'), fs = require('fs'), tls = require('tls');
const readline = require('readline');

const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const iv = key.subarray(0, 16);
const pem = fs.readFileSync('/run/certificate');
const sizes = [0, 1, 16, 1000, 4096, 16384, 65536, 200000];

const data = size => Buffer.alloc(size, `${size}-`);

function* hashes(input) {
	for (const name of ['md5', 'sha1', 'sha256', 'sha384', 'sha512', 'sha3-256']) {
		yield crypto.createHash(name).update(input).digest();
		yield crypto.createHmac(name, key).update(input).digest();
	}
}

function* ciphers(input) {
	for (const name of ['aes-128-cbc', 'aes-256-cbc', 'aes-256-ctr', 'aes-192-ofb', 'chacha20']) {
		const k = key.subarray(0, crypto.getCipherInfo(name).keyLength);
		const e = crypto.createCipheriv(name, k, iv), d = crypto.createDecipheriv(name, k, iv);
		const out = Buffer.concat([e.update(input), e.final()]);
		if (!Buffer.concat([d.update(out), d.final()]).equals(input)) throw new Error(name);
		yield out;
	}
	for (const name of ['aes-256-gcm', 'chacha20-poly1305']) {
		const e = crypto.createCipheriv(name, key, iv.subarray(0, 12), { authTagLength: 16 });
		const out = Buffer.concat([e.update(input), e.final()]);
		const d = crypto.createDecipheriv(name, key, iv.subarray(0, 12), { authTagLength: 16 });
		d.setAuthTag(e.getAuthTag());
		if (!Buffer.concat([d.update(out), d.final()]).equals(input)) throw new Error(name);
		yield Buffer.concat([out, e.getAuthTag()]);
	}
}

const echo = (options, input) => new Promise((resolve, reject) => {
	const server = tls.createServer({ key: pem, cert: pem, ...options }, s => s.pipe(s));
	server.listen(0, '127.0.0.1', () => {
		const parts = [];
		const client = tls.connect({ port: server.address().port, host: '127.0.0.1',
			rejectUnauthorized: false, ...options }, () => client.end(input));
		client.on('data', part => parts.push(part));
		client.on('error', reject);
		client.on('end', () => server.close(() => resolve(Buffer.concat(parts))));
	});
});

async function round() {
	// kcrypto has no BLAKE2.
	const total = crypto.createHash('blake2b512');
	let count = 0;
	const take = part => { total.update(part); count += part.length; };
	for (const size of sizes)
		for (const part of [...hashes(data(size)), ...ciphers(data(size))]) take(part);
	for (const options of [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES256-SHA384' },
		{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }, {}])
		take(await echo(options, data(200000)));
	console.log(count, total.digest('hex'));
}

readline.createInterface({ input: process.stdin }).on('line', round);
