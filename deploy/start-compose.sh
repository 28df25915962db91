#!/bin/sh
# Starts all services of compose.yaml. The first start creates deploy/.env with random passwords:
#
#   deploy/start-compose.sh                                               https://localhost
#   deploy/start-compose.sh shop.example.com storage.example.com          with certificates from Let's Encrypt
set -eu
cd "$(dirname "$0")"

if [ ! -e .env ]; then
  domain=${1:-localhost}
  if [ "$domain" = localhost ]; then
    storage_host=storage.localhost
    # Plain HTTP, because the containers do not trust Caddy's own certificate authority.
    storage_url=http://storage.localhost
  else
    storage_host=${2:?Name the domain of the storage, too: deploy/start-compose.sh shop.example.com storage.example.com}
    storage_url=https://$storage_host
  fi
  umask 077
  cat > .env.new <<END
PUBLIC_URL=https://$domain
STORAGE_URL=$storage_url
STORAGE_HOST=$storage_host
FEIRA_SECRET=$(openssl rand -hex 32)
POSTGRES_PASSWORD=$(openssl rand -hex 24)
STORAGE_PASSWORD=$(openssl rand -hex 24)
END
  mv .env.new .env
fi
exec docker compose --env-file .env -f compose.yaml up --build --detach
