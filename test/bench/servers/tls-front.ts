import { configurationAround } from '../../replicas/nginx.ts';

/** Where TLS ends, and what stands behind. */
interface TlsFront {
  readonly port: number;
  /** Origin of the backend. */
  readonly to: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** nginx's configuration: nothing gathered on disk, connections kept on both sides, large buffers. */
export function tlsFront({ port, to, certFile, keyFile }: TlsFront, folder: string): string {
  const http = `  keepalive_timeout 600s;
  keepalive_requests 100000000;
  tcp_nodelay on;
  upstream backend {
    server ${new URL(to).host};
    keepalive 600;
    keepalive_requests 100000000;
    keepalive_timeout 600s;
  }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};
    ssl_session_cache shared:bench:1m;
    client_max_body_size 0;
    client_body_buffer_size 256k;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_buffer_size 256k;
      proxy_buffers 8 256k;
      proxy_read_timeout 300s;
    }
  }`;
  return configurationAround(http, { folder, processes: 2, connections: 4096 });
}
