#!/bin/sh
# Run once by the image of PostgreSQL, when its folder is empty: the role that owns Kabari's database,
# and the two it works as. None is a superuser (docs/running/postgresql.md).
set -eu
: "${KABARI_PASSWORD:?KABARI_PASSWORD is missing in postgres.env}"
psql --set ON_ERROR_STOP=1 --set password="$KABARI_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
CREATE ROLE kabari LOGIN PASSWORD :'password';
CREATE ROLE kabari_app NOLOGIN;
CREATE ROLE kabari_all NOLOGIN;
GRANT kabari_app TO kabari_all;
GRANT kabari_app, kabari_all TO kabari;
CREATE DATABASE kabari OWNER kabari ENCODING 'UTF8' TEMPLATE template0;
SQL
