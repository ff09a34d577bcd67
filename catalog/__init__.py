"""The database: tables, migrations, one store per aggregate."""
